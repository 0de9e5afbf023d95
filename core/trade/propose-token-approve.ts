/**
 * The operation that proposes an approval. The amount is always exact, the wallet's balance when none is
 * named; nothing is ever approved without a bound, and approving nothing takes an approval back.
 */
import { Effect, Schema } from "effect"
import { usdc } from "../chains/usdc.ts"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import {
  InvalidAddress,
  InvalidAmount,
  InvalidRequest,
  NotFound,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import { Chains } from "../ports/chains.ts"
import * as Proposal from "../proposals/operation.ts"
import { ready } from "../submissions/submitter.ts"
import { InsufficientBalance } from "../wallets/balance.ts"
import * as Subject from "./subject.ts"
import { tokenApprove } from "./token-approve.ts"

const parseAmount = Effect.fnUntraced(function* (text: string) {
  const amount = /^(?:0|[1-9]\d*)$/u.test(text) ? BigInt(text) : undefined
  if (amount !== undefined && amount <= Usdc.maxMicro) return amount
  return yield* new InvalidAmount({
    param: "amountSmallestUnit",
    message:
      'Send an integer of smallest units as a string: "12500000" is 12.50 USDC, and "0" revokes the approval.'
  })
})

/** All the wallet holds now; asks the network. */
const balanceOf = Effect.fnUntraced(function* ({ wallet }: Subject.Subject) {
  const { address, chainId } = wallet
  const [held = 0n] = yield* (yield* Chains).balances(chainId, [address]).pipe(
    Effect.mapError(
      () =>
        new UpstreamUnavailable({
          message: `The chain ${chainId} does not respond; send amountSmallestUnit or try again in a moment.`,
          details: { chainId }
        })
    )
  )
  if (held > 0n) return held
  return yield* new InsufficientBalance({
    param: "fromWalletId",
    message: "The wallet holds no USDC; fund it first, or send amountSmallestUnit.",
    details: { heldUsdc: Usdc.format(held) },
    next: { operation: "list_wallets", args: {} }
  })
})

const permitting = Effect.fnUntraced(function* (subject: Subject.Subject) {
  if (subject.isUsdc) return subject
  return yield* new InvalidRequest({
    param: "tokenAddress",
    message: `Only tokens with signed permits can be approved, because wallets hold no gas; on ${subject.wallet.chainId} that is USDC.`
  })
})

export const proposeTokenApprove = Proposal.operation("propose_token_approve", tokenApprove, {
  summary:
    'Proposes a token approval: a flow\'s spender may take an exact amount from a wallet; "0" revokes it. Nothing changes yet.',
  next: "confirm_proposal with the returned proposalId executes it; check_allowance then shows it.",
  input: {
    ...Subject.fields,
    amountSmallestUnit: Schema.optionalKey(
      Text.Line(40).annotate({
        description:
          'The new allowance in smallest units; it replaces the old one, and "0" revokes it. Default: the current balance of the wallet.'
      })
    )
  },
  refusals: [
    NotFound,
    InvalidAddress,
    InvalidAmount,
    UnsupportedChain,
    InsufficientBalance,
    OutlayLimitExceeded,
    UpstreamUnavailable
  ],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      tokenAddress: usdc.base,
      flow: "intent_swap",
      amountSmallestUnit: "12500000"
    }
  },
  asks: () => Effect.undefined,
  prepare: Effect.fnUntraced(function* (input) {
    const subject = yield* permitting(yield* Subject.find(input))
    yield* ready(subject.wallet.chainId, subject.wallet.accountId)
    return input.amountSmallestUnit === undefined
      ? yield* balanceOf(subject)
      : yield* parseAmount(input.amountSmallestUnit)
  }),
  resolve: Effect.fnUntraced(function* (input, amountSmallestUnit) {
    const { flow, spender, tokenAddress, wallet } = yield* permitting(yield* Subject.find(input))
    return {
      terms: {
        fromWalletId: wallet.id,
        fromAddress: wallet.address,
        chainId: wallet.chainId,
        tokenAddress,
        flow,
        spender: spender.address,
        amountSmallestUnit
      }
    }
  })
})
