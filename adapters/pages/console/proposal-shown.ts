/**
 * What the page of a proposal shows, all read from the records at that moment: the terms that are hashed, in
 * full and in their own words, and beside them what others call the wallet and the recipient.
 */
import { Effect } from "effect"
import * as Usdc from "../../../core/money/usdc.ts"
import { isSignedByHumans } from "../../../core/proposals/confirm.ts"
import type { AnyKind, Kind } from "../../../core/proposals/kind.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import { kinds } from "../../../core/treasury/kinds.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { grouped } from "../checkout/shown.ts"
import { historyOf } from "./history.ts"
import { code, state, time } from "./parts/cells.ts"
import type { Fact } from "./parts/facts.tsx"
import type { Visit } from "./parts/guard.ts"
import type { Output } from "./parts/list.ts"
import { separated } from "./parts/separated.ts"
import type { Row } from "./parts/table.tsx"
import type { ProposalProps, Rule, Step } from "./proposal.tsx"
import { isTrade, tradeFacts, tradeResult, tradeTerms } from "./trade-shown.ts"

type Terms = Proposal["terms"]
type View = Output<"get_proposal">

const textOf = (terms: Terms, name: string): string | undefined => {
  const value = terms[name]
  return typeof value === "string" ? value : undefined
}

const usdcOf = (terms: Terms) => {
  const micro = textOf(terms, "amountSmallestUnit")
  return micro === undefined ? undefined : `${grouped(BigInt(micro))} USDC`
}

const fact = (name: string, text: string | undefined, code = false): ReadonlyArray<Fact> =>
  text === undefined ? [] : [{ name, text, code }]

/** Terms that are told by their own names, or that are ids nobody reads. */
const knownTerms = new Set([
  "amountSmallestUnit",
  "toAddress",
  "fromAddress",
  "address",
  "spender",
  "chainId",
  "memo",
  "recipientId",
  "fromWalletId",
  "accountId"
])

/** Whatever else was hashed, by the name it has there, so that nothing is signed unseen. */
const rest = (terms: Terms) =>
  Object.entries(terms).flatMap(([name, value]) =>
    knownTerms.has(name) || value === null || (isTrade(terms) && tradeTerms.has(name))
      ? []
      : fact(name, typeof value === "string" ? value : JSON.stringify(value))
  )

const factsOf = Effect.fnUntraced(function* ({ accountId, terms }: Proposal) {
  const [recipientId, walletId] = [textOf(terms, "recipientId"), textOf(terms, "fromWalletId")]
  const recipient =
    recipientId === undefined ? undefined : yield* (yield* Recipients).find(accountId, recipientId)
  const wallet =
    walletId === undefined ? undefined : yield* (yield* Wallets).find(accountId, walletId)
  return [
    ...fact("Amount", usdcOf(terms)),
    ...tradeFacts(terms),
    ...fact("To", recipient?.label),
    ...fact(
      "Address",
      textOf(terms, "toAddress") ?? textOf(terms, "address") ?? recipient?.address,
      true
    ),
    ...fact("Spender", textOf(terms, "spender"), true),
    ...fact("From wallet", wallet?.name),
    ...fact("Wallet address", textOf(terms, "fromAddress"), true),
    ...fact("Chain", textOf(terms, "chainId")),
    ...fact("Memo", textOf(terms, "memo")),
    ...rest(terms)
  ]
})

const ruleNames: Readonly<Record<string, string>> = {
  account_running: "The account is not paused",
  recipient_approved: "The recipient is approved",
  hard_cap: "Hard cap per transfer",
  per_transfer: "Cap per transfer",
  daily: "Daily cap",
  monthly: "Monthly cap"
}

/** They bound a transfer alone, so nothing of them is ever used. */
const ofOneTransfer: ReadonlySet<string> = new Set(["hard_cap", "per_transfer"])

/** The policy's own trace of a payment that has not begun. */
const traceOf = Effect.fnUntraced(function* ({ status, terms }: Proposal, calls: Calls) {
  const [recipientId, micro] = [textOf(terms, "recipientId"), textOf(terms, "amountSmallestUnit")]
  const isOpen = status === "pending_confirm" || status === "requires_action"
  if (!isOpen || recipientId === undefined || micro === undefined) return []
  const { rules } = yield* calls.simulate_transfer({
    recipientId,
    amountUsdc: Usdc.format(BigInt(micro))
  })
  return rules.map(
    ({ capUsd, passes, rule, usedUsd }): Rule => ({
      name: ruleNames[rule] ?? rule,
      passes,
      detail:
        capUsd === null
          ? ""
          : ofOneTransfer.has(rule)
            ? `up to ${separated(capUsd)} USDC`
            : `${separated(usedUsd ?? "0.00")} of ${separated(capUsd)} USDC used, without this one`
    })
  )
})

/** What a person is told of a state; the messages of the API speak to programs. */
const meanings: Readonly<Record<Proposal["status"], string>> = {
  pending_confirm: "This proposal is not confirmed yet. Your approval also confirms it.",
  requires_action: "This proposal waits for the approvals below.",
  executing: "Submitted. This page follows its progress.",
  completed: "It is done.",
  failed: "Failed; nothing was moved.",
  rejected: "Rejected; nothing was moved.",
  cancelled: "Cancelled; nothing was moved.",
  expired: "Expired before it was approved; nothing was moved.",
  superseded: "Superseded: something it relies on has changed. Propose it again."
}

/** What came of one that failed, where it is not that nothing was moved. */
const failures: Readonly<Partial<Record<NonNullable<View["outcome"]>, string>>> = {
  partly_executed: "Failed; the steps below show what was done before.",
  refunded: "Failed; what was moved came back, less fees."
}

/** Why it stands as it does; beside it what came of it, where its reason alone would not tell. */
const reasonOf = ({ outcome, statusReason }: View): string | null => {
  const failure = outcome === null ? undefined : failures[outcome]
  return failure === undefined ? statusReason : `${failure} ${statusReason ?? ""}`.trim()
}

/** Whether it executes and may be asked to stop, which was not done yet. */
const mayStop = ({ kind, status, subStatus }: View): boolean => {
  const { isStoppable }: AnyKind = kinds[kind]
  return status === "executing" && isStoppable === true && subStatus !== "cancelling"
}

/** What is done is not always all: a new recipient waits on. */
const doneOf = (kind: Kind, status: Proposal["status"]): string | undefined =>
  kind === "add_recipient" && status === "completed"
    ? "Done. The recipient can be paid once its cooldown of 24 hours is over; Recipients shows when."
    : undefined

const whose: Readonly<Record<string, string>> = {
  passkey_approval: "A human's passkey",
  governance_signature: "A human's passkey",
  cosigner_approval: "Co-signers"
}

const takesOf = (
  proposal: Proposal,
  kind: Kind,
  steps: ReadonlyArray<Step>
): ProposalProps["takes"] => {
  const isSigned = isSignedByHumans(kinds[kind])
  if (proposal.status === "pending_confirm") return isSigned ? "passkey" : "confirmation"
  const unsigned = steps.some(
    ({ received, required, who }) => who === whose.passkey_approval && received < required
  )
  return proposal.status === "requires_action" && unsigned ? "passkey" : "nothing"
}

/** What the page was written from; when it is another, the page is read again. */
const versionOf = ({ nextAction, status, subStatus, txHashes, updatedAt }: View) =>
  [
    status,
    subStatus,
    updatedAt,
    txHashes.length,
    ...nextAction.map(({ received }) => received)
  ].join(" ")

const isOver = ({ outcome, status }: View): boolean =>
  outcome !== null || ["rejected", "cancelled", "expired", "superseded"].includes(status)

/** The version of a proposal that may still change; empty once it has ended. */
export const proposalVersion = ({ calls }: Visit, id: string) =>
  Effect.map(calls.get_proposal({ proposalId: id }), versionOf)

const stepRows = ({ steps }: View): ReadonlyArray<Row> =>
  steps.map(({ at, chainId, kind, n, status, txIds }) => ({
    id: String(n),
    cells: [
      { text: `${n}. ${kind}` },
      state(status),
      { text: chainId },
      code(txIds.at(-1) ?? null),
      time(at)
    ]
  }))

export const proposalShown = Effect.fnUntraced(function* (visit: Visit, id: string) {
  const { account, calls, who } = visit
  const view = yield* calls.get_proposal({ proposalId: id })
  // The view was just read from it.
  const proposal = (yield* (yield* Proposals).find(account.id, id)) as Proposal
  const steps = view.nextAction.map(
    ({ received, required, type }): Step => ({ who: whose[type] ?? type, received, required })
  )
  const { expiresAt, intentHash, proposalId, status, txHashes } = view
  const props: ProposalProps = {
    who,
    proposalId,
    title: kinds[view.kind].title,
    status,
    statusReason: reasonOf(view),
    subStatus: view.subStatus,
    message: doneOf(view.kind, view.status) ?? meanings[proposal.status],
    history: yield* historyOf(visit, proposal),
    chainSteps: stepRows(view),
    version: isOver(view) ? undefined : versionOf(view),
    facts: [...(yield* factsOf(proposal)), ...tradeResult(view, proposal.terms)],
    rules: yield* traceOf(proposal, calls),
    steps,
    intentHash,
    txHashes,
    expiresAt,
    takes: takesOf(proposal, view.kind, steps),
    mayStop: mayStop(view),
    mayCancel: status === "pending_confirm" || status === "requires_action"
  }
  return props
})
