/**
 * The page at a proposal's address: everything that is signed, in full, before the button that signs it.
 * An authenticator shows nothing of it, so this page is what a person goes by.
 */
import { type Fact, Facts } from "./parts/facts.tsx"
import { Console, type Who } from "./parts/frame.tsx"
import { type Row, Table } from "./parts/table.tsx"
import { When } from "./parts/time.tsx"

export interface Rule {
  readonly name: string
  readonly passes: boolean
  readonly detail: string
}

export interface Step {
  readonly who: string
  readonly received: number
  readonly required: number
}

export interface ProposalProps {
  readonly who: Who
  readonly proposalId: string
  readonly title: string
  readonly status: string
  readonly subStatus: string | null
  readonly statusReason: string | null
  /** Who did what, and when. */
  readonly history: ReadonlyArray<Row>
  /** What it does on chains. */
  readonly chainSteps: ReadonlyArray<Row>
  /** By which the script sees that it has changed; undefined once it has ended. */
  readonly version: string | undefined
  readonly message: string
  readonly facts: ReadonlyArray<Fact>
  readonly rules: ReadonlyArray<Rule>
  readonly steps: ReadonlyArray<Step>
  readonly intentHash: string
  readonly txHashes: ReadonlyArray<string>
  readonly expiresAt: string
  /** What a human may do about it now. */
  readonly takes: "passkey" | "confirmation" | "nothing"
  readonly mayCancel: boolean
  readonly mayStop: boolean
}

const words = (status: string) => status.replaceAll("_", " ")

const Rules = ({ rules }: Pick<ProposalProps, "rules">) =>
  rules.length === 0 ? null : (
    <section>
      <h2>Policy checks</h2>
      <ul class="rules">
        {rules.map(({ detail, name, passes }) => (
          <li key={name} class={passes ? "passes" : "fails"}>
            <span>{passes ? "Passes" : "Fails"}</span> {name}
            {detail === "" ? null : <span class="soft"> {detail}</span>}
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

const Choices = ({ intentHash, mayCancel, mayStop, proposalId, takes }: ProposalProps) => (
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

export const Proposal = (props: ProposalProps) => (
  <Console who={props.who} section="proposals">
    <h1>{props.title}</h1>
    <p class={`state ${props.status}`}>
      <strong>{words(props.status)}</strong>
      {props.subStatus !== null && <span class="soft"> {props.subStatus}</span>}
      {props.takes !== "nothing" && (
        <>
          {" "}
          until <When at={props.expiresAt} />
        </>
      )}
    </p>
    <p class="soft" data-live={props.version}>
      {props.statusReason ?? props.message}
    </p>
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
      <Table label="History" names={["What", "Who", "When"]} rows={props.history} none="" />
    </section>
    <Facts
      facts={[
        ...props.txHashes.map((text) => ({ name: "Transaction", text, code: true })),
        { name: "Intent hash (signed)", text: props.intentHash, code: true }
      ]}
    />
    <Choices {...props} />
  </Console>
)
