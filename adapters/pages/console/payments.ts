/** Money that comes in: payment requests and checkout sessions, and deposits that count for none. */
import { Effect } from "effect"
import { actsOf, why } from "./deposit-words.ts"
import { code, link, state, time, transaction, usdc } from "./parts/cells.ts"
import type { Visit } from "./parts/guard.ts"
import { type Columns, list, nothing, type Output } from "./parts/list.ts"
import { followedFrom, type Written } from "./parts/live.ts"
import { offering, walletChoices, walletOf } from "./parts/names.ts"
import { tableOf, thing } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")

const vaults = (field: string) => offering({ [field]: walletChoices("collection") })

const requests = list({
  operation: "list_payment_requests",
  key: "payment_requests",
  at: "/console/payments",
  section: "payments",
  title: "Payment requests",
  none: "No payment requests.",
  beginning: {
    text: "What customers owe and have paid stands here. First add a customer, who gets an address to pay to; then create a checkout link and send it to them.",
    first: { href: "/console/new/create_provisioning_job", text: "Add the first customer" }
  },
  idOf: ({ pid }) => pid,
  known: nothing,
  choices: vaults("walletMappingId"),
  columns: {
    Request: ({ pid }) => link(`/console/payments/${pid}`, pid, true),
    Status: ({ status }) => state(status),
    Amount: ({ amountSmallestUnit }) => usdc(amountSmallestUnit),
    Received: ({ amountReceivedSmallestUnit }) => usdc(amountReceivedSmallestUnit),
    Customer: ({ customer }) => customer?.externalId ?? null,
    Reference: ({ externalReference }) => externalReference,
    Issue: ({ settlementIssue }) => (settlementIssue === "none" ? null : settlementIssue),
    Chain: ({ chainId }) => chainId,
    Created: ({ createdAt }) => time(createdAt)
  },
  actions: [
    { href: "/console/new/create_payment_request", text: "New payment request" },
    { href: "/console/new/create_checkout_session", text: "New checkout link" },
    { href: "/console/new/create_provisioning_job", text: "Add customers" }
  ]
})

const deposits = list({
  operation: "list_deposits",
  key: "deposits",
  at: "/console/deposits",
  section: "payments",
  title: "Deposits",
  intro: "Money that reached a vault and counts for no payment request.",
  none: "No deposits.",
  beginning: {
    text: "Nothing waits here. Money that came late, twice or for no request would stand here until you decide about it.",
    first: { href: "/console/payments", text: "See what was asked for" }
  },
  idOf: ({ depositId }) => depositId,
  known: nothing,
  choices: vaults("vaultId"),
  columns: {
    Deposit: ({ depositId }) => link(`/console/deposits/${depositId}`, depositId, true),
    Status: ({ resolution, status }) => state(resolution ?? status),
    Amount: ({ amountSmallestUnit }) => usdc(amountSmallestUnit),
    Issue: ({ settlementIssue }) => settlementIssue,
    Payer: ({ payerAddress }) => code(payerAddress),
    Chain: ({ chainId }) => chainId,
    Seen: ({ seenAt }) => time(seenAt)
  }
})

type Request = Output<"get_payment_request">

const attemptColumns = (chainId: string): Columns<Request["attempts"][number]> => ({
  Method: ({ method }) => method,
  Status: ({ status }) => state(status),
  Amount: ({ amountSmallestUnit }) => usdc(amountSmallestUnit),
  Payer: ({ payerAddress }) => code(payerAddress),
  Confirmations: ({ confirmations }) => String(confirmations),
  Transaction: ({ txHash }) => transaction(chainId, txHash),
  Seen: ({ seenAt }) => time(seenAt),
  Reason: ({ reason }) => reason
})

const refundColumns: Columns<Request["refunds"][number]> = {
  Proposal: ({ proposalId }) => link(`/console/proposals/${proposalId}`, proposalId, true),
  Status: ({ status }) => state(status),
  Amount: ({ amountSmallestUnit }) => usdc(amountSmallestUnit),
  Created: ({ createdAt }) => time(createdAt)
}

const isOpen = ({ status }: Request) =>
  status === "open" || status === "partially_paid" || status === "processing"

/** What came in may go back once nothing can be paid any more, unless it stands as deposits. */
const mayRefund = (request: Request) =>
  !isOpen(request) &&
  request.attempts.length > 0 &&
  request.amountReceivedSmallestUnit !== request.refundedSmallestUnit

type Deposit = Output<"list_deposits">["deposits"][number]

const namingColumns: Columns<Deposit> = {
  Deposit: ({ depositId }) => link(`/console/deposits/${depositId}`, depositId, true),
  Status: ({ resolution, status }) => state(resolution ?? status),
  Amount: ({ amountSmallestUnit }) => usdc(amountSmallestUnit),
  Issue: ({ settlementIssue }) => settlementIssue,
  Payer: ({ payerAddress }) => code(payerAddress),
  Transaction: ({ chainId, txHash }) => transaction(chainId, txHash),
  Seen: ({ seenAt }) => time(seenAt)
}

/** Of the newest deposits of its vault, those that may be for a request that takes no money any more. */
const depositsNaming = ({ calls }: Visit, request: Request) =>
  isOpen(request)
    ? Effect.succeed([])
    : Effect.map(calls.list_deposits({ vaultId: request.vaultId, limit: 50 }), ({ deposits }) =>
        deposits.filter(({ candidatePids }) => candidatePids.includes(request.pid))
      )

const decisionOf = ({ amountSmallestUnit, depositId, status }: Deposit) =>
  status === "open"
    ? [
        {
          href: `/console/deposits/${depositId}`,
          text: `Decide about a deposit of ${usdc(amountSmallestUnit).text}`
        }
      ]
    : []

/** What the page of a request was written from. */
const writtenOf = (shown: Request): Written => {
  const { amountReceivedSmallestUnit, attempts, expiresAt, refunds, settlementIssue, status } =
    shown
  return {
    facts: [status, amountReceivedSmallestUnit, attempts, expiresAt, refunds, settlementIssue],
    isOver: !isOpen(shown)
  }
}

export const requestWritten = ({ calls }: Visit, id: string) =>
  Effect.map(calls.get_payment_request({ idOrPid: id }), writtenOf)

const factsOf = (shown: Request) => {
  const { customer, product } = shown
  return [
    ...fact("Amount", usdc(shown.amountSmallestUnit).text),
    ...fact("Received", usdc(shown.amountReceivedSmallestUnit).text),
    ...fact("Remaining", usdc(shown.amountRemainingSmallestUnit).text),
    ...(shown.settlementIssue === "none" ? [] : fact("Issue", shown.settlementIssue)),
    ...fact("Payment link", shown.paymentUrl, {
      href: shown.paymentUrl,
      isCopied: isOpen(shown)
    }),
    ...fact("Pay to", shown.payToAddress, { code: true }),
    ...fact("Chain", shown.chainId),
    ...(customer === null
      ? fact("Vault", shown.vaultId, { code: true, href: `/console/wallets/${shown.vaultId}` })
      : fact("Customer's vault", `${customer.externalId} (${customer.namespace})`, {
          href: `/console/wallets/${shown.vaultId}`
        })),
    ...fact("Product", product?.name),
    ...fact("Description", shown.description),
    ...fact("Reference", shown.externalReference),
    ...fact("Checkout session", shown.checkoutSessionId, { code: true }),
    ...fact("Method", shown.method),
    ...fact("Transaction", shown.txHash, transaction(shown.chainId, shown.txHash)),
    ...fact("Created", shown.createdAt, { isTime: true }),
    ...fact("Expires", shown.status === "paid" ? null : shown.expiresAt, { isTime: true }),
    ...fact("Paid", shown.paidAt, { isTime: true }),
    ...(Object.keys(shown.metadata).length === 0
      ? []
      : fact("Tags", JSON.stringify(shown.metadata), { code: true }))
  ]
}

const request = thing(
  "/console/payments/:id",
  Effect.fnUntraced(function* (visit, id) {
    const { calls } = visit
    const shown = yield* calls.get_payment_request({ idOrPid: id })
    const naming = yield* depositsNaming(visit, shown)
    const { pid } = shown
    const { events } = yield* calls.list_events({ paymentRequestPid: pid, limit: 20 })
    return {
      section: "payments",
      title: `Payment request ${pid}`,
      live: followedFrom(writtenOf(shown)),
      state: state(shown.status),
      facts: factsOf(shown),
      links: [
        ...naming.flatMap(decisionOf),
        ...(mayRefund(shown)
          ? [{ href: `/console/new/propose_refund?paymentRequestId=${pid}`, text: "Refund" }]
          : []),
        ...(isOpen(shown)
          ? [{ href: `/console/new/extend_payment_request?idOrPid=${pid}`, text: "Extend" }]
          : [])
      ],
      acts:
        shown.status === "open"
          ? [
              {
                text: "Cancel this request",
                operation: "cancel_payment_request",
                input: { idOrPid: pid },
                sure: "Cancel this payment request? Its link can no longer be paid."
              }
            ]
          : [],
      parts: [
        tableOf(
          "Payments",
          "Nothing came in yet.",
          attemptColumns(shown.chainId),
          shown.attempts,
          ({ id }) => id
        ),
        ...(naming.length === 0
          ? []
          : [
              tableOf(
                "Deposits that may be for this request",
                "No deposits.",
                namingColumns,
                naming,
                ({ depositId }) => depositId
              )
            ]),
        tableOf("Refunds", "No refunds.", refundColumns, shown.refunds, (each) => each.proposalId),
        tableOf("Events", "No events.", eventColumns, events, (each) => each.id)
      ]
    }
  })
)

const eventColumns: Columns<Output<"list_events">["events"][number]> = {
  Event: ({ id, type }) => link(`/console/events/${id}`, type),
  Deliveries: ({ id }) => link(`/console/deliveries?eventId=${id}`, "Deliveries"),
  Created: ({ createdAt }) => time(createdAt)
}

const deposit = thing(
  "/console/deposits/:id",
  Effect.fnUntraced(function* (visit, id) {
    const found = yield* visit.calls.get_deposit({ depositId: id })
    const vault = yield* walletOf(visit, found.vaultId)
    const isOpenYet = found.status === "open"
    return {
      section: "payments",
      title: `Deposit of ${usdc(found.amountSmallestUnit).text}`,
      state: state(found.resolution ?? found.status),
      facts: [
        ...fact("Amount", usdc(found.amountSmallestUnit).text),
        ...fact("Why it waits", isOpenYet ? why[found.settlementIssue] : undefined),
        ...fact("Issue", found.settlementIssue),
        ...fact("Payer", found.payerAddress, { code: true }),
        ...fact("Vault", vault?.nickname ?? vault?.name ?? found.vaultId, {
          code: vault === undefined,
          href: `/console/wallets/${found.vaultId}`
        }),
        ...fact("Chain", found.chainId),
        ...fact("Transaction", found.txHash, transaction(found.chainId, found.txHash)),
        ...found.candidatePids.flatMap((pid) =>
          fact("May be for", pid, { code: true, href: `/console/payments/${pid}` })
        ),
        ...fact("Seen", found.seenAt, { isTime: true })
      ],
      links: [
        ...(isOpenYet
          ? [
              {
                href: `/console/new/resolve_deposit?depositId=${id}&action=attach`,
                text: "Attach to a payment request"
              }
            ]
          : []),
        { href: `/console/new/propose_refund?depositId=${id}`, text: "Refund" }
      ],
      acts: actsOf(found),
      parts: [
        tableOf("Refunds", "No refunds.", refundColumns, found.refunds, (each) => each.proposalId)
      ]
    }
  })
)

export const paymentPages = [requests, deposits, request, deposit] as const
