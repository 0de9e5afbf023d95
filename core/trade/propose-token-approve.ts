/**
 * The operation that proposes an approval. The amount is always exact, the wallet's balance when none is
 * named; nothing is ever approved without a bound, and approving nothing takes an approval back.
 */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import {
  InvalidAmount,
  InvalidRequest,
  NotFound,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import * as Proposal from "../proposals/operation.ts"
import { InvalidAddress } from "../recipients/own.ts"
import * as Relayer from "../submissions/relayer.ts"
import { InsufficientBalance } from "../wallets/balance.ts"
import * as Subject from "./subject.ts"
import { tokenApprove } from "./token-approve.ts"

const named = Effect.fnUntraced(function* (text: string) {
  const amount = /^(?:0|[1-9]\d*)$/u.test(text) ? BigInt(text) : undefined
  if (amount !== undefined && amount <= Usdc.maxMicro) return amount
  return yield* new InvalidAmount({
    param: "amountSmallestUnit",
    message:
      'Write a whole number of smallest units: "12500000" is 12.50 USDC, and "0" takes back what the spender may take.'
  })
})

/** All the wallet holds now; asks the network. */
const balanceOf = Effect.fnUntraced(function* ({ wallet }: Subject.Subject) {
  const { address, chainId } = wallet
  const [held = 0n] = yield* (yield* Chains).balances(chainId, [address]).pipe(
    Effect.mapError(
      () =>
        new UpstreamUnavailable({
          message: `The chain ${chainId} does not answer just now; name amountSmallestUnit or ask again in a moment.`,
          details: { chainId }
        })
    )
  )
  if (held > 0n) return held
  return yield* new InsufficientBalance({
    param: "fromWalletId",
    message: "The wallet holds no USDC; fund it first, or name amountSmallestUnit.",
    details: { heldUsdc: Usdc.format(held) },
    next: { operation: "list_wallets", args: {} }
  })
})

const permitting = Effect.fnUntraced(function* (subject: Subject.Subject) {
  if (subject.isUsdc) return subject
  return yield* new InvalidRequest({
    param: "tokenAddress",
    message: `A wallet here holds no gas, so only tokens that take signed permits can be approved; on ${subject.wallet.chainId} that is USDC.`
  })
})

export const proposeTokenApprove = Proposal.operation("propose_token_approve", tokenApprove, {
  summary:
    'Proposes to let a flow\'s spender take an exact amount of a token from a wallet, or with "0" nothing any more. Nothing changes yet.',
  next: "confirm_proposal with the returned proposalId approves it; check_allowance shows it then.",
  input: {
    ...Subject.fields,
    amountSmallestUnit: Schema.optionalKey(
      Text.Line(40).annotate({
        description:
          'How much may be taken from now on, in smallest units, whatever was allowed before; "0" takes the approval back. What the wallet holds now, when left out.'
      })
    )
  },
  refusals: [
    NotFound,
    InvalidAddress,
    InvalidAmount,
    UnsupportedChain,
    InsufficientBalance,
    UpstreamUnavailable
  ],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      tokenAddress: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      flow: "intent_swap",
      amountSmallestUnit: "12500000"
    }
  },
  asks: () => Effect.undefined,
  prepare: Effect.fnUntraced(function* (input) {
    const subject = yield* permitting(yield* Subject.find(input))
    yield* Relayer.ready(subject.wallet.chainId)
    return input.amountSmallestUnit === undefined
      ? yield* balanceOf(subject)
      : yield* named(input.amountSmallestUnit)
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
