/** Whether a flow's spender may take as much of a token as a trade needs, as the token says it now. */

import { Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import { usdc } from "../chains/usdc.ts"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import {
  InvalidAddress,
  InvalidAmount,
  InvalidRequest,
  NotFound,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { Allowances } from "../ports/holdings.ts"
import { checkKeys } from "../proposals/key-bounds.ts"
import { worthUp } from "../sales/worth.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { termsFor } from "./approval.ts"
import { requireVenue } from "./offered.ts"
import * as Spender from "./spender.ts"
import * as Subject from "./subject.ts"
import { tokenApprove } from "./token-approve.ts"

/** Tokens count in 256 bits. */
const most = 2n ** 256n - 1n

const amountOf = Effect.fnUntraced(function* (text: string) {
  const amount = /^[1-9]\d*$/u.test(text) ? BigInt(text) : 0n
  if (amount > 0n && amount <= most) return amount
  return yield* new InvalidAmount({
    param: "requiredAmountSmallest",
    message:
      'Send a positive integer of the token\'s smallest units as a string, such as "12500000".'
  })
})

/** What the spender may take now, or the refusal that says why nobody knows. */
const allowanceOf = Effect.fnUntraced(function* (subject: Subject.Subject) {
  const { chainId } = subject.wallet
  const [allowance] = yield* (yield* Allowances)
    .current(chainId, [Subject.permissionOf(subject)])
    .pipe(
      Effect.mapError(
        () =>
          new UpstreamUnavailable({
            message: `The chain ${chainId} does not respond; try again in a moment.`,
            details: { chainId }
          })
      )
    )
  if (allowance !== undefined) return allowance
  return yield* new InvalidRequest({
    param: "tokenAddress",
    message: `There is no ERC-20 token at this address on ${chainId}; check the token's address.`
  })
})

/** Whether this key may propose the approval as it stands; what nobody knows the worth of, it may not. */
const mayPropose = Effect.fnUntraced(function* (subject: Subject.Subject, units: bigint) {
  const { accountId, keyId, scopes } = yield* Caller
  const { flow, pinned, wallet } = subject
  const isOffered = yield* Effect.isSuccess(requireVenue(flow, wallet.chainId))
  if (!isOffered) return false
  if (pinned === undefined || !scopes.has("proposals:write")) return false
  const { known, learn } = yield* AgreedPrices
  const token = { chainId: wallet.chainId, address: pinned.address }
  yield* learn([token])
  const price = yield* known(token)
  if (price === undefined) return false
  const worth = worthUp({ units, decimals: pinned.decimals }, price)
  const terms = termsFor({ ...subject, pinned }, units, worth, false)
  const behind = { id: "", call: null, accountId, proposedBy: keyId, confirmedBy: null }
  const spent = yield* tokenApprove.spends?.(accountId, terms) ?? Effect.undefined
  return yield* Effect.isSuccess(
    Effect.andThen(tokenApprove.check(accountId, terms), checkKeys(behind, spent))
  )
})

export const checkAllowance = Operation.make("check_allowance", {
  summary: "Checks whether a flow's spender has a sufficient token allowance from a wallet.",
  next: "If it is not sufficient, call propose_token_approve; `next` contains the call.",
  scope: "account:read",
  input: {
    ...Subject.fields,
    requiredAmountSmallest: Text.Line(78).annotate({
      description: "What the trade needs, in the token's smallest units."
    })
  },
  output: {
    sufficient: Schema.Boolean,
    allowance: Usdc.SmallestUnits,
    required: Usdc.SmallestUnits,
    missing: Usdc.SmallestUnits,
    spender: Address.Address,
    tokenAddress: Address.Address,
    chainId: Schema.String,
    fromWalletId: Schema.String,
    flow: Spender.Flow,
    next: Schema.optionalKey(
      Schema.Struct({
        operation: Schema.Literal("propose_token_approve"),
        args: Schema.Struct({
          fromWalletId: Schema.String,
          tokenAddress: Address.Address,
          flow: Spender.Flow,
          amountSmallestUnit: Schema.String
        })
      }).annotate({
        description: "The call that makes it sufficient, if this key is allowed to make it."
      })
    )
  },
  refusals: [NotFound, InvalidAddress, InvalidAmount, UnsupportedChain, UpstreamUnavailable],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      tokenAddress: usdc.base,
      requiredAmountSmallest: "12500000",
      flow: "intent_swap"
    }
  },
  handle: Effect.fnUntraced(function* (input) {
    const required = yield* amountOf(input.requiredAmountSmallest)
    const subject = yield* Subject.find(input)
    const allowance = yield* allowanceOf(subject)
    const { flow, spender, tokenAddress, wallet } = subject
    const sufficient = allowance >= required
    const args = { fromWalletId: wallet.id, tokenAddress, flow }
    const isOffered = !sufficient && (yield* mayPropose(subject, required))
    return {
      sufficient,
      allowance,
      required,
      missing: sufficient ? 0n : required - allowance,
      spender: spender.address,
      tokenAddress,
      chainId: wallet.chainId,
      fromWalletId: wallet.id,
      flow,
      ...(isOffered
        ? {
            next: {
              operation: "propose_token_approve" as const,
              args: { ...args, amountSmallestUnit: String(required) }
            }
          }
        : {})
    }
  })
})
