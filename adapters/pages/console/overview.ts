/** The overview: what the account is worth, what its caps leave, what waits, and what went wrong. */
import { Effect } from "effect"
import type { CapBar } from "./overview-page.tsx"
import { code, link, time, usd, usdc, usdToCent } from "./parts/cells.ts"
import { consolePage, guarded, type Visit } from "./parts/guard.ts"
import type { Columns, Output } from "./parts/list.ts"
import { inWords, namesOf } from "./parts/names.ts"
import { separated } from "./parts/separated.ts"
import { tableOf } from "./parts/thing.ts"
import { chartOf } from "./spend-chart.ts"

const { Overview } = await import("./overview-page.tsx")

const few = { limit: 20 } as const

interface Waiting {
  readonly href: string
  readonly summary: string
  readonly what: string
  readonly until: string
}

const waitingColumns: Columns<Waiting> = {
  What: ({ href, summary }) => link(href, summary),
  "Waits for": ({ what }) => what,
  Until: ({ until }) => time(until)
}

/** Proposals, governance requests and votes that somebody has to decide. */
const waiting = Effect.fnUntraced(function* (visit: Visit) {
  const { calls } = visit
  const { proposals: asked } = yield* calls.list_proposals({ status: "requires_action", ...few })
  const { proposals: fresh } = yield* calls.list_proposals({ status: "pending_confirm", ...few })
  const names = yield* namesOf(visit, [...asked, ...fresh])
  const waitingAs =
    (what: string) =>
    ({ expiresAt, proposalId, summary }: (typeof asked)[number]): Waiting => ({
      href: `/console/proposals/${proposalId}`,
      summary: inWords(summary, names),
      what,
      until: expiresAt
    })
  const { governance_requests } = yield* calls.list_governance_requests(few)
  const { pending_cosigner_approvals } = yield* calls.list_pending_cosigner_approvals(few)
  return [
    ...asked.map(waitingAs("Approval")),
    ...fresh.map(waitingAs("Confirmation")),
    ...governance_requests.map(
      ({ expiresAt, requestId, summary }): Waiting => ({
        href: `/console/governance/${requestId}`,
        summary,
        what: "Signature",
        until: expiresAt
      })
    ),
    ...pending_cosigner_approvals.map(
      ({ expiresAt, pendingApprovalId, summary }): Waiting => ({
        href: `/console/votes/${pendingApprovalId}`,
        summary: inWords(summary, names),
        what: "Your vote as a co-signer",
        until: expiresAt
      })
    )
  ]
})

const failedColumns: Columns<Output<"list_webhook_deliveries">["webhook_deliveries"][number]> = {
  Delivery: ({ eventType, id }) => link(`/console/deliveries/${id}`, eventType),
  Endpoint: ({ url }) => url,
  Attempts: ({ attemptCount, maxAttempts }) => `${attemptCount} of ${maxAttempts}`,
  "Last response": ({ lastError, lastResponseStatus }) =>
    lastResponseStatus === null ? lastError : String(lastResponseStatus)
}

const depositColumns: Columns<Output<"list_deposits">["deposits"][number]> = {
  Deposit: ({ amountSmallestUnit, depositId }) =>
    link(`/console/deposits/${depositId}`, usdc(amountSmallestUnit).text),
  Issue: ({ settlementIssue }) => settlementIssue,
  Payer: ({ payerAddress }) => code(payerAddress),
  Seen: ({ seenAt }) => time(seenAt)
}

/** How much of a cap is used, in hundredths, for a bar; money itself is never calculated with here. */
const shareOf = (used: string, cap: string): number =>
  Number(cap) === 0 ? 100 : Math.min(100, (Number(used) / Number(cap)) * 100)

const bar = (name: string, used: string, cap: string, left: string): CapBar => ({
  name,
  text: `$${separated(used)} of $${separated(cap)}, $${separated(left)} left`,
  percent: shareOf(used, cap)
})

/** Undefined while no chain of the newest wallet answers: the page stands without it. */
const worth = Effect.fnUntraced(function* ({ calls }: Visit) {
  const read = yield* calls
    .get_portfolio({ limit: 1 })
    .pipe(Effect.catchTag("UPSTREAM_UNAVAILABLE", () => Effect.undefined))
  return (
    read && {
      netWorth: usdToCent(read.netWorthUsd).text,
      parts: [
        ["in wallets", read.netWorthParts.holdings],
        ["in yield positions", read.netWorthParts.yieldPositions],
        ["on the way between chains", read.netWorthParts.inTransit]
      ].map(([where, worth]) => `${usdToCent(worth ?? null).text} ${where}`),
      change: read.change24hPct,
      asOf: read.totalsAsOf,
      isWhole: read.totalsComplete && read.unavailableChains.length === 0,
      away: read.unavailableChains
    }
  )
})

export const overview = guarded("/console", (visit) =>
  Effect.gen(function* () {
    const { calls, who } = visit
    const limits = yield* calls.get_policy_limits({})
    const spending = yield* calls.get_spending({})
    const failed = yield* calls.list_webhook_deliveries({ status: "failed", limit: 5 })
    const open = yield* calls.list_deposits({ status: "open", limit: 5 })
    const props = {
      who,
      worth: yield* worth(visit),
      perTransfer: usd(limits.perTransferCapUsd).text,
      caps: [
        bar("Today", limits.dailyUsedUsd, limits.dailySendCapUsd, limits.dailyRemainingUsd),
        bar(
          "This month",
          limits.monthlyUsedUsd,
          limits.monthlySendCapUsd,
          limits.monthlyRemainingUsd
        )
      ],
      resetsAt: limits.dailyResetsAt,
      chart: chartOf(spending),
      waiting: tableOf(
        "Pending approvals",
        "Nothing waits for an approval.",
        waitingColumns,
        yield* waiting(visit),
        ({ href }) => href
      ),
      failed: tableOf(
        "Failed deliveries",
        "No failed deliveries.",
        failedColumns,
        failed.webhook_deliveries,
        ({ id }) => id
      ),
      deposits: tableOf(
        "Open deposits",
        "No deposit waits to be resolved.",
        depositColumns,
        open.deposits,
        ({ depositId }) => depositId
      )
    }
    return consolePage("Overview", Overview(props))
  })
)
