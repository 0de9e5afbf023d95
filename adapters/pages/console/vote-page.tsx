/** A vote on another account's action; approving takes a passkey over this very call. */
import { type Fact, Facts } from "./parts/facts.tsx"
import { Console, type Who } from "./parts/frame.tsx"
import { Offered } from "./parts/offered.tsx"

interface VoteProps {
  readonly who: Who
  readonly pendingApprovalId: string
  readonly summary: string
  readonly facts: ReadonlyArray<Fact>
}

export const VotePage = ({ facts, pendingApprovalId, summary, who }: VoteProps) => {
  const input = JSON.stringify({ pendingApprovalId })
  return (
    <Console who={who} section="cosigners" path="/console/votes">
      <h1>{summary}</h1>
      <Facts facts={facts} />
      <p class="soft">
        Once enough co-signers have approved, the action goes on by itself. One that is rejected
        ends when too few votes are left.
      </p>
      <Offered operation="approve_cosigner_action">
        <p class="choices">
          <button
            type="button"
            class="main"
            data-ask="/console/sign/approve_cosigner_action/options"
            data-answer="/console/sign/approve_cosigner_action/verify"
            data-input={input}
            data-next="/console/votes"
          >
            Approve with your passkey
          </button>
          <button
            type="button"
            data-post="/console/do/reject_cosigner_action"
            data-input={input}
            data-sure="Reject this action?"
            data-next="/console/votes"
          >
            Reject
          </button>
        </p>
      </Offered>
    </Console>
  )
}
