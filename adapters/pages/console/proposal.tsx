/**
 * The page at a proposal's address: everything that is signed, in full, before the button that signs it.
 * An authenticator shows nothing of it, so this page is what a person goes by.
 */
import { type Fact, Facts } from "./parts/facts.tsx"
import { Console, type Who } from "./parts/frame.tsx"
import { Offered } from "./parts/offered.tsx"
import { Stages } from "./parts/stages.tsx"
import { type Row, Table } from "./parts/table.tsx"
import { When } from "./parts/time.tsx"
import type { Rule } from "./proposal-caps.ts"
import { stages } from "./proposal-words.ts"

export interface Step {
  readonly who: string
  readonly received: number
  readonly required: number
}

export interface ProposalProps {
  readonly who: Who
  readonly proposalId: string
  /** The version from which its page follows it; undefined once it has ended. */
  readonly live: string | undefined
  readonly title: string
  /** What it does, in one sentence. */
  readonly summary: string
  readonly proposedBy: string
  readonly proposedAt: string
  readonly status: string
  /** How many of the stages are behind it; below zero when it ended before. */
  readonly stage: number
  /** Where it stands and what happens next. */
  readonly message: string
  /** Who did what, and when. */
  readonly history: ReadonlyArray<Row>
  /** What it does on chains. */
  readonly chainSteps: ReadonlyArray<Row>
  readonly facts: ReadonlyArray<Fact>
  readonly rules: ReadonlyArray<Rule>
  readonly steps: ReadonlyArray<Step>
  readonly hashes: ReadonlyArray<Fact>
  readonly intentHash: string
  readonly expiresAt: string
  /** What a human may do about it now. */
  readonly takes: "passkey" | "confirmation" | "nothing"
  readonly mayCancel: boolean
  readonly mayStop: boolean
}

const words = (status: string) => status.replaceAll("_", " ")

const Bar = ({ added, used }: NonNullable<Rule["bar"]>) => (
  <svg class="bars" viewBox="0 0 300 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="all" width={300} height={8} rx={4} />
    <rect class="near" width={(used + added) * 3} height={8} rx={4} />
    <rect class="used" width={used * 3} height={8} rx={4} />
  </svg>
)

const Rules = ({ rules }: Pick<ProposalProps, "rules">) =>
  rules.length === 0 ? null : (
    <section>
      <h2>Effect on caps</h2>
      <ul class="rules">
        {rules.map(({ bar, detail, name, passes }) => (
          <li key={name} class={passes ? "passes" : "fails"}>
            <span>{passes ? "Passes" : "Fails"}</span> {name}
            {detail === "" ? null : <span class="soft"> {detail}</span>}
            {bar !== undefined && <Bar {...bar} />}
          </li>
        ))}
      </ul>
    </section>
  )

const Steps = ({ steps }: Pick<ProposalProps, "steps">) =>
  steps.length === 0 ? null : (
    <section>
      <h2>Approvals</h2>
      <ul class="rules">
        {steps.map(({ received, required, who }) => (
          <li key={who} class={received >= required ? "passes" : "waits"}>
            {who}: {received} of {required}
          </li>
        ))}
      </ul>
    </section>
  )

const Choices = ({ intentHash, mayCancel, mayStop, proposalId, takes }: ProposalProps) =>
  takes === "nothing" && !mayCancel && !mayStop ? null : (
    <p class="choices">
      {takes === "passkey" && (
        <button
          type="button"
          class="main"
          data-ask={`/console/proposals/${proposalId}/options`}
          data-answer={`/console/proposals/${proposalId}/approve`}
          data-shown={intentHash}
        >
          Approve with your passkey
        </button>
      )}
      {takes === "confirmation" && (
        <button
          type="button"
          class="main"
          data-post="/console/do/confirm_proposal"
          data-input={JSON.stringify({ proposalId, expectedIntentHash: intentHash })}
        >
          Confirm
        </button>
      )}
      {mayCancel && (
        <button
          type="button"
          data-post="/console/do/cancel_proposal"
          data-input={JSON.stringify({ proposalId })}
          data-sure="Reject this proposal? It will not be executed."
        >
          Reject
        </button>
      )}
      {mayStop && (
        <button
          type="button"
          data-post="/console/do/cancel_proposal"
          data-input={JSON.stringify({ proposalId })}
          data-sure="Ask it to stop? What the chain has taken already still happens."
        >
          Ask to stop
        </button>
      )}
    </p>
  )

const Heading = (props: ProposalProps) => (
  <>
    <h1>{props.title}</h1>
    <p>
      <bdi>{props.summary}</bdi>
    </p>
    <p class="soft">
      Proposed by <bdi>{props.proposedBy}</bdi>, <When at={props.proposedAt} />
    </p>
    {props.stage >= 0 && <Stages names={stages} behind={props.stage} />}
    <p class={`state ${props.status}`}>
      <strong>{words(props.status)}</strong>
      {props.mayCancel && (
        <>
          {" "}
          until <When at={props.expiresAt} />
        </>
      )}
    </p>
    <p class="soft next">{props.message}</p>
  </>
)

export const Proposal = (props: ProposalProps) => (
  <Console who={props.who} section="proposals" path="/console/proposals" live={props.live}>
    <Heading {...props} />
    <Facts facts={props.facts} />
    <Steps steps={props.steps} />
    <Rules rules={props.rules} />
    {props.chainSteps.length > 0 && (
      <section>
        <h2>On the chain</h2>
        <Table
          label="Steps"
          names={["Step", "Status", "Chain", "Transaction", "At"]}
          rows={props.chainSteps}
          none=""
        />
      </section>
    )}
    <section>
      <h2>History</h2>
      <Table
        label="History"
        names={["What", "Who", "When", "Reason"]}
        rows={props.history}
        none=""
      />
    </section>
    <Facts facts={props.hashes} />
    <Offered operation="confirm_proposal">
      <Choices {...props} />
    </Offered>
  </Console>
)
