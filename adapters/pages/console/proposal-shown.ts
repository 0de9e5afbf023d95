/**
 * What the page of a proposal shows, all read from the records at that moment: the terms that are hashed, in
 * full and in their own words, and beside them what others call the wallet and the recipient.
 */
import { Effect } from "effect"
import * as Usdc from "../../../core/money/usdc.ts"
import { isSignedByHumans } from "../../../core/proposals/confirm.ts"
import type { Kind } from "../../../core/proposals/kind.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import { kinds } from "../../../core/treasury/kinds.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { grouped } from "../checkout/shown.ts"
import type { Fact } from "./parts/facts.tsx"
import type { Visit } from "./parts/guard.ts"
import type { ProposalProps, Rule, Step } from "./proposal.tsx"

type Terms = Proposal["terms"]

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
    knownTerms.has(name) || value === null
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
      detail: capUsd === null ? "" : `${usedUsd ?? "0.00"} of ${capUsd} USDC used`
    })
  )
})

/** What a person is told of a state; the messages of the API speak to programs. */
const meanings: Readonly<Record<Proposal["status"], string>> = {
  pending_confirm: "This proposal is not confirmed yet. Your approval also confirms it.",
  requires_action: "This proposal waits for the approvals below.",
  executing: "Submitted. Reload the page to see its progress.",
  completed: "It is done.",
  failed: "Failed; nothing was moved.",
  rejected: "Rejected; nothing was moved.",
  cancelled: "Cancelled; nothing was moved.",
  expired: "Expired before it was approved; nothing was moved.",
  superseded: "Superseded: something it relies on has changed. Propose it again."
}

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

export const proposalShown = Effect.fnUntraced(function* (
  { account, calls, who }: Visit,
  id: string
) {
  const view = yield* calls.get_proposal({ proposalId: id })
  // The view was just read from it.
  const proposal = (yield* (yield* Proposals).find(account.id, id)) as Proposal
  const steps = view.nextAction.map(
    ({ received, required, type }): Step => ({ who: whose[type] ?? type, received, required })
  )
  const { expiresAt, intentHash, proposalId, status, statusReason, txHashes } = view
  const props: ProposalProps = {
    who,
    proposalId,
    title: kinds[view.kind].title,
    status,
    statusReason,
    message: meanings[proposal.status],
    facts: yield* factsOf(proposal),
    rules: yield* traceOf(proposal, calls),
    steps,
    intentHash,
    txHashes,
    expiresAt,
    takes: takesOf(proposal, view.kind, steps),
    mayCancel: status === "pending_confirm" || status === "requires_action"
  }
  return props
})
