/**
 * Ends a signed order on the chain, by a transaction of the wallet's own, once somebody asked the swap to stop. It is
 * made once for an order; whether the order was filled before is for the chain alone to say.
 */
import { Effect } from "effect"
import { isSame, keyOf } from "../chains/address.ts"
import { canonical } from "../encoding/canonical.ts"
import type { Invalidation } from "../ports/swap-venue.ts"
import * as Kind from "../proposals/kind.ts"
import { type Admission, silent } from "../submissions/purposes.ts"
import type { Submission } from "../submissions/submission.ts"
import type { StepSubmission } from "../waits/next-step.ts"
import type { Wait } from "../waits/wait.ts"
import { WaitStore } from "../waits/wait-store.ts"
import type { Terms } from "./terms.ts"

/** The part of a swap's identity that cancels it. A swap that is asked to stop makes no further order. */
export const cancelPart = "cancel"

export const cancellation = (swap: Terms, { call, to }: Invalidation): StepSubmission => ({
  _tag: "submit",
  kind: "cancel",
  purpose: "swap_cancellation",
  chainId: swap.chainId,
  walletId: swap.fromWalletId,
  act: "call",
  part: cancelPart,
  from: keyOf(swap.chainId, swap.fromAddress),
  to,
  amount: {
    token: { chainId: swap.chainId, address: keyOf(swap.chainId, swap.sell.tokenAddress) },
    units: swap.sellAmount
  },
  call
})

export const isOpen = ({ ended }: Wait): boolean => ended === null

const orderEnded = "The order ended before it was cancelled; nothing was called for it."

/** Not worth its gas once the order has ended. A paused account may stop what it sells. */
const admit = Effect.fnUntraced(function* ({ purpose }: Submission) {
  const waits = yield* (yield* WaitStore).ofProposals([purpose.proposalId ?? ""])
  const admission: Admission = waits.some(isOpen)
    ? { _tag: "go" }
    : { _tag: "fail", reason: orderEnded }
  return admission
})

export const swapCancellation = { ...silent, admit }

/** What the records say of a cancellation. */
export interface Records {
  readonly isStopAsked: boolean
  /** Of the order that was signed and waits; undefined when there is none. */
  readonly invalidation: Invalidation | undefined
}

/** What a cancellation must not pass: it calls what ends the signed order, to the last byte, and nothing else. */
export const violation = (
  { act, amount, call, chainId, from, to, walletId }: Kind.SigningRequest,
  terms: Terms,
  { invalidation, isStopAsked }: Records
) =>
  Kind.firstBroken([
    [act === "call" && call !== null, "a cancellation is nothing but a call"],
    [isStopAsked, "nobody asked the swap to stop"],
    [terms.fromWalletId === walletId, "the terms name another wallet"],
    [terms.chainId === chainId, "the terms name another chain"],
    [isSame(chainId, terms.fromAddress, from), "the terms name another address to sell from"],
    [isSame(chainId, terms.sell.tokenAddress, amount.token.address ?? ""), "it is of another sale"],
    [terms.sellAmount === amount.units, "the terms sell another amount"],
    [invalidation !== undefined, "no signed order waits"],
    [invalidation?.to === to, "the order is ended by another contract"],
    [canonical(invalidation?.call ?? null) === canonical(call), "the call does something else"]
  ])
