/** The page at a governance request's address: what is so now, what would be, and the hash of what is signed. */
import { type Fact, Facts } from "./parts/facts.tsx"
import { Console, type Who } from "./parts/frame.tsx"
import { Offered } from "./parts/offered.tsx"
import { type Row, Table } from "./parts/table.tsx"
import { When } from "./parts/time.tsx"

export interface GovernanceProps {
  readonly who: Who
  /** The version from which its page follows it; undefined once it has ended. */
  readonly live: string | undefined
  /** Who did what, and when. */
  readonly history: ReadonlyArray<Row>
  readonly requestId: string
  readonly summary: string
  readonly status: string
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
  readonly facts: ReadonlyArray<Fact>
  readonly payloadHash: string
  readonly expiresAt: string
  /** Whether the role of who is signed in signs such requests; stopping one needs less. */
  readonly maySign: boolean
}

const Lines = ({
  title,
  lines
}: {
  readonly title: string
  readonly lines: ReadonlyArray<string>
}) => (
  <section>
    <h2>{title}</h2>
    <ul class="rules">
      {lines.map((line) => (
        <li key={line}>
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  </section>
)

export const Governance = (props: GovernanceProps) => (
  <Console who={props.who} section="cosigners" live={props.live}>
    <h1>{props.summary}</h1>
    <p class={`state ${props.status}`}>
      <strong>{props.status}</strong>
      {props.status === "pending" && (
        <>
          {" "}
          until <When at={props.expiresAt} />
        </>
      )}
    </p>
    <Facts facts={props.facts} />
    <Lines title="Now" lines={props.before} />
    <Lines title="After you sign" lines={props.after} />
    <section>
      <h2>History</h2>
      <Table label="History" names={["What", "Who", "When"]} rows={props.history} none="" />
    </section>
    <Facts facts={[{ name: "Payload hash (signed)", text: props.payloadHash, code: true }]} />
    {props.status === "pending" && (
      <p class="choices">
        {props.maySign && (
          <button
            type="button"
            class="main"
            data-ask={`/console/governance/${props.requestId}/options`}
            data-answer={`/console/governance/${props.requestId}/sign`}
            data-shown={props.payloadHash}
          >
            Sign with your passkey
          </button>
        )}
        <Offered operation="cancel_governance_request">
          <button
            type="button"
            data-post="/console/do/cancel_governance_request"
            data-input={JSON.stringify({ requestId: props.requestId })}
          >
            Cancel the request
          </button>
        </Offered>
      </p>
    )}
  </Console>
)
