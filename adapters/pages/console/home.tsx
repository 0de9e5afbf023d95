/** What waits for the human who is signed in: proposals, governance requests and votes for others. */
import { Console, When, type Who } from "./frame.tsx"

export interface Waiting {
  readonly href: string
  readonly summary: string
  readonly what: string
  readonly until: string
}

export interface Vote {
  readonly pendingApprovalId: string
  /** The account whose action it is. */
  readonly userId: string
  readonly summary: string
  readonly intentHash: string
  readonly required: number
  readonly approvals: number
  readonly until: string
}

export interface HomeProps {
  readonly who: Who
  readonly proposals: ReadonlyArray<Waiting>
  readonly requests: ReadonlyArray<Waiting>
  readonly votes: ReadonlyArray<Vote>
}

interface ListProps {
  readonly title: string
  readonly none: string
  readonly rows: ReadonlyArray<Waiting>
}

const List = ({ title, none, rows }: ListProps) => (
  <section>
    <h2>{title}</h2>
    {rows.length === 0 ? (
      <p class="soft">{none}</p>
    ) : (
      <ul class="rows">
        {rows.map(({ href, summary, until, what }) => (
          <li key={href}>
            <a href={href}>{summary}</a>
            <p class="soft">
              {what}, until <When at={until} />
            </p>
          </li>
        ))}
      </ul>
    )}
  </section>
)

const Votes = ({ votes }: Pick<HomeProps, "votes">) => (
  <section>
    <h2>Co-signing</h2>
    {votes.length === 0 ? (
      <p class="soft">No pending votes.</p>
    ) : (
      <ul class="rows">
        {votes.map((vote) => (
          <li key={vote.pendingApprovalId}>
            <p>{vote.summary}</p>
            <p class="soft">
              {vote.approvals} of {vote.required} approvals, until <When at={vote.until} />
            </p>
            <p class="soft">
              Account <code>{vote.userId}</code>, intent <code>{vote.intentHash}</code>
            </p>
            <p class="choices">
              <button
                type="button"
                data-ask="/console/sign/approve_cosigner_action/options"
                data-answer="/console/sign/approve_cosigner_action/verify"
                data-input={JSON.stringify({ pendingApprovalId: vote.pendingApprovalId })}
              >
                Approve<span class="unseen"> {vote.summary}</span>
              </button>
              <button
                type="button"
                data-post="/console/do/reject_cosigner_action"
                data-input={JSON.stringify({ pendingApprovalId: vote.pendingApprovalId })}
              >
                Reject<span class="unseen"> {vote.summary}</span>
              </button>
            </p>
          </li>
        ))}
      </ul>
    )}
  </section>
)

export const Home = ({ who, proposals, requests, votes }: HomeProps) => (
  <Console who={who}>
    <h1>Pending approvals</h1>
    <List title="Proposals" none="No pending proposals." rows={proposals} />
    <List title="Governance" none="No pending governance changes." rows={requests} />
    <Votes votes={votes} />
    {who.pausedAt === null && (
      <section>
        <h2>Pause account</h2>
        <p class="soft">
          A paused account makes no payments. Incoming payments continue. Only an operator can
          resume it.
        </p>
        <button type="button" data-post="/console/pause" data-sure="Pause this account?">
          Pause this account
        </button>
      </section>
    )}
  </Console>
)
