/**
 * Approvals: a wallet lets the spender of one flow take an exact amount of USDC. Nothing leaves the
 * wallet, so no cap is reserved; what is allowed is bounded by the hard cap of one transfer. Allowing
 * nothing takes back what was allowed before.
 */
import { Effect, Schema } from "effect"
import { AccountPaused, requireRunning } from "../accounts/pause.ts"
import * as Address from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { revisionOf } from "../policy/revision.ts"
import { Chains } from "../ports/chains.ts"
import * as Kind from "../proposals/kind.ts"
import { PolicyLimitExceeded, type Proposal } from "../proposals/proposal.ts"
import { queue } from "../wallets/queue.ts"
import * as Spender from "./spender.ts"

const terms = {
  fromWalletId: Schema.String,
  fromAddress: Address.Address,
  chainId: Schema.String,
  tokenAddress: Address.Address,
  flow: Spender.Flow,
  spender: Address.Address,
  amountSmallestUnit: Usdc.SmallestUnits
}
type Terms = Schema.Struct<typeof terms>["Type"]

/** Only USDC is approved (`judged`), so its units are micro-USDC. */
const worthOf = (units: bigint) => Usdc.toUsd(Usdc.make(units))

const check = Effect.fnUntraced(function* (
  accountId: string,
  { amountSmallestUnit, chainId, flow, spender, tokenAddress }: Terms
) {
  yield* requireRunning(accountId)
  const { connected } = yield* Chains
  const usdc = connected.find(({ chain }) => chain.id === chainId)?.usdc
  if (usdc === undefined || !Address.isSame(chainId, usdc, tokenAddress)) {
    return yield* new InvalidRequest({
      param: "tokenAddress",
      message: `The token is no longer the configured USDC contract on ${chainId}; propose it again.`
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
  if (amountSmallestUnit <= hardCapMicro) return
  return yield* new PolicyLimitExceeded({
    param: "amountSmallestUnit",
    message: `The approval exceeds the hard cap per transfer, ${Usdc.format(hardCapMicro)} USDC; send a smaller amountSmallestUnit.`,
    details: { v0HardCapUsd: Usdc.format(hardCapMicro) },
    next: { operation: "get_policy_limits", args: {} }
  })
})

const start = Effect.fnUntraced(function* (proposal: Proposal, approval: Terms) {
  yield* check(proposal.accountId, approval)
  const { chainId } = approval
  return yield* queue(proposal, "approval", {
    walletId: approval.fromWalletId,
    chainId,
    act: "permit",
    from: Address.keyOf(chainId, approval.fromAddress),
    to: Address.keyOf(chainId, approval.spender),
    amount: {
      token: { chainId, address: Address.keyOf(chainId, approval.tokenAddress) },
      units: approval.amountSmallestUnit
    }
  })
})

/** What an approval must not pass: its own terms, and the table of spenders as it is now. */
const violation = (request: Kind.SigningRequest, terms: Terms) => {
  const { chainId, to } = request
  const spender = Spender.find(terms.flow, chainId)
  return Kind.firstBroken([
    [request.act === "permit", "an approval signs nothing but a permit"],
    [terms.fromWalletId === request.walletId, "the terms name another wallet"],
    [Address.isSame(chainId, terms.fromAddress, request.from), "the terms name another address"],
    [Address.isSame(chainId, terms.tokenAddress, request.token), "the terms name another token"],
    [Address.isSame(chainId, terms.spender, to), "the terms name another spender"],
    [
      Address.isSame(chainId, spender?.address ?? "", to),
      "the flow has another spender on that chain"
    ],
    [terms.chainId === chainId, "the terms name another chain"],
    [terms.amountSmallestUnit === request.amount.units, "the terms name another amount"]
  ])
}

export const tokenApprove = Kind.define("token_approve", {
  title: "Token approval",
  movesMoney: true,
  refusals: [InvalidRequest, PolicyLimitExceeded, AccountPaused],
  terms,
  // Nothing leaves the wallet, so the caps of a transfer do not bound it.
  exposure: ({ amountSmallestUnit }) => ({
    amountMicro: worthOf(amountSmallestUnit),
    limit: "hard_cap"
  }),
  summary: ({ amountSmallestUnit, chainId, fromAddress, spender }) => {
    const who = `${Spender.at(chainId, spender)?.label ?? "a spender"} (${spender})`
    const from = `from ${fromAddress} on ${chainId}`
    return amountSmallestUnit === 0n
      ? `Revoke the USDC allowance of ${who} ${from}`
      : `Allow ${who} to take up to ${Usdc.format(amountSmallestUnit)} USDC ${from}`
  },
  // What may be taken counts as sent, so that approvals are no way around a key's cap; nothing counts for nothing.
  spends: (_, { amountSmallestUnit, fromWalletId }) =>
    Effect.succeed({
      walletId: fromWalletId,
      recipientId: null,
      amountMicro: worthOf(amountSmallestUnit),
      isCapped: amountSmallestUnit > 0n
    }),
  signing: { read: () => Effect.void, violation },
  check,
  perform: start
})
