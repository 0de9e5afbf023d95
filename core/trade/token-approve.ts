/**
 * Approvals as a kind of proposal: a wallet lets the spender of one flow take an exact amount of a listed token, or
 * takes that back. Nothing leaves the wallet, so no cap is reserved; its worth is bounded by the hard cap.
 */
import { Effect } from "effect"
import { AccountPaused, requireRunning } from "../accounts/pause.ts"
import { isSame } from "../chains/address.ts"
import { canonical } from "../encoding/canonical.ts"
import * as Usd from "../money/usd.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { revisionOf } from "../policy/revision.ts"
import * as Kind from "../proposals/kind.ts"
import { PolicyLimitExceeded, type Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { WalletBusy } from "../sales/rules.ts"
import { Sales } from "../sales/sale-store.ts"
import { worthUp } from "../sales/worth.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import * as Pinned from "../tokens/pinned.ts"
import type { NextStep, Step } from "../waits/next-step.ts"
import { actOf, fields, partsOf, summary, type Terms, toZero, wayOf } from "./approval.ts"
import * as Spender from "./spender.ts"

/** What it is worth now, where that is known; never less than what was signed and voted on. */
const worthOf = Effect.fnUntraced(function* (terms: Terms) {
  const { amountSmallestUnit: units, decimals, worthMicroUsd } = terms
  const { amount } = actOf(terms, null)
  const price = yield* (yield* AgreedPrices).known(amount.token)
  const now = price === undefined ? Usd.zero : worthUp({ units, decimals }, price)
  return Usd.max(now, worthMicroUsd)
})

/** By which flow a kind of trade is taken from the wallet. */
const flows: Readonly<Record<string, Spender.Flow>> = {
  swap: "intent_swap",
  bridge: "limit_order_bridge"
}

/** An open sale relies on what its spender may take: that is not changed before it has ended. */
const checkUnused = Effect.fnUntraced(function* (accountId: string, terms: Terms) {
  const { token } = actOf(terms, null).amount
  const held = yield* (yield* Sales).heldOf(terms.fromWalletId)
  for (const { proposalId } of held.filter((each) => each.token === token.address)) {
    const sale = yield* (yield* Proposals).find(accountId, proposalId)
    if (flows[sale?.kind ?? ""] !== terms.flow) continue
    return yield* new WalletBusy({
      param: "fromWalletId",
      message:
        "A trade is selling this token by this allowance; cancel it and wait for its end, or use another wallet.",
      details: { proposalId },
      next: { operation: "cancel_proposal", args: { proposalId } }
    })
  }
})

const check = Effect.fnUntraced(function* (accountId: string, terms: Terms) {
  yield* requireRunning(accountId)
  yield* checkUnused(accountId, terms)
  const { approvedBy, chainId, decimals, flow, spender, tokenAddress } = terms
  const pinned = yield* Pinned.at(chainId, tokenAddress)
  if (pinned === undefined || pinned.decimals !== decimals || wayOf(pinned) !== approvedBy) {
    return yield* new InvalidRequest({
      param: "tokenAddress",
      message: `The operator's list of tokens on ${chainId} no longer has the token as it was proposed; propose it again.`
    })
  }
  // The table may have changed since it was proposed; what was meant then is not allowed now.
  if (Spender.find(flow, chainId)?.address !== spender) {
    return yield* new InvalidRequest({
      param: "flow",
      message: `The spender of ${flow} on ${chainId} has changed since the proposal; propose it again.`
    })
  }
  const { hardCapMicro } = yield* revisionOf(accountId)
  if ((yield* worthOf(terms)) <= hardCapMicro) return
  return yield* new PolicyLimitExceeded({
    param: "amountSmallestUnit",
    message: `The approval is worth more than the hard cap per transfer, ${Usd.format(hardCapMicro)} USD; send a smaller amountSmallestUnit.`,
    details: { v0HardCapUsd: Usd.format(hardCapMicro) },
    next: { operation: "get_policy_limits", args: {} }
  })
})

const perform = Effect.fnUntraced(function* (proposal: Proposal, terms: Terms) {
  yield* check(proposal.accountId, terms)
  return { status: "executing" as const }
})

const reasonOf = (step: Step): string =>
  (step._tag === "submission" ? step.submission.reason : null) ?? "The allowance was not set."

/** Its acts one after the other; it ends where one of them fails. */
const next = (terms: Terms, steps: ReadonlyArray<Step>): NextStep => {
  const failed = steps.find(({ isDone }) => !isDone)
  if (failed !== undefined) {
    const outcome = steps.length === 1 ? "not_executed" : "partly_executed"
    return { _tag: "end", outcome, reason: reasonOf(failed) }
  }
  const part = partsOf(terms)[steps.length]
  if (part === undefined) return { _tag: "end", outcome: "executed" }
  return {
    _tag: "submit",
    ...actOf(terms, part),
    kind: terms.approvedBy === "permit" ? "permit" : "approve",
    purpose: "approval",
    chainId: terms.chainId,
    walletId: terms.fromWalletId,
    ...(part === null ? {} : { part })
  }
}

/** What an approval must not pass: its own terms to the last byte, and the table of spenders as it is now. */
const violation = (request: Kind.SigningRequest, terms: Terms) => {
  const { chainId, to } = request
  const spender = Spender.find(terms.flow, chainId)
  const wanted = actOf(terms, request.part)
  return Kind.firstBroken([
    [terms.chainId === chainId, "the terms name another chain"],
    [partsOf(terms).includes(request.part), "the approval has no such part"],
    [request.act === wanted.act, "the approval is given in another way"],
    [terms.fromWalletId === request.walletId, "the terms name another wallet"],
    [isSame(chainId, terms.fromAddress, request.from), "the terms name another address"],
    [isSame(chainId, terms.tokenAddress, request.token), "the terms name another token"],
    [isSame(chainId, terms.spender, to), "the terms name another spender"],
    [isSame(chainId, spender?.address ?? "", to), "the flow has another spender on that chain"],
    [wanted.amount.units === request.amount.units, "the terms name another amount"],
    [canonical(wanted.call) === canonical(request.call), "the terms call something else"]
  ])
}

export const tokenApprove = Kind.define("token_approve", {
  title: "Token approval",
  movesMoney: true,
  chains: ({ chainId }) => [chainId],
  refusals: [InvalidRequest, PolicyLimitExceeded, AccountPaused, WalletBusy],
  terms: fields,
  // Nothing leaves the wallet, so the caps of a transfer do not bound it.
  exposure: ({ worthMicroUsd }) => ({ amountMicro: worthMicroUsd, limit: "hard_cap" }),
  summary,
  // The whole worth, under the rules of what the flow is for.
  cosigned: ({ flow, worthMicroUsd }) => ({
    action: flow === "intent_swap" ? "swap" : "bridge",
    amountMicro: worthMicroUsd
  }),
  // What may be taken counts as sent, so that approvals are no way around a key's cap; nothing counts for nothing.
  spends: (_, { amountSmallestUnit, fromWalletId, worthMicroUsd }) =>
    Effect.succeed({
      walletId: fromWalletId,
      recipientId: null,
      amountMicro: worthMicroUsd,
      isCapped: amountSmallestUnit > 0n
    }),
  signing: { parts: [toZero], read: () => Effect.void, violation },
  check,
  perform,
  next
})
