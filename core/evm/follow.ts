/**
 * The steps from the first transaction to the end: handing it over, looking for it on the chain, and raising
 * its fees. Only bytes that were written down are ever handed over.
 */
import { DateTime, Effect } from "effect"
import { Chains } from "../ports/chains.ts"
import { anew, type Submission } from "../submissions/submission.ts"
import { soonestMs } from "../submissions/write-down.ts"
import * as CallJournal from "./call-journal.ts"
import * as Journal from "./journal.ts"
import { type Look, onward, paid, plan, waiting } from "./look.ts"
import * as Nonce from "./nonce.ts"
import { withBytesOf } from "./outlay.ts"
import { ranOut, replyLost, reverted, revertedForGood, spentOtherwise } from "./reasons.ts"
import { type Conditions, EvmRelay } from "./relay.ts"

/** A transaction unseen for so long is replaced by one that pays more. */
const replaceAfterMs = 30_000
const maxAttempts = 20

export const submit = Effect.fnUntraced(function* (submission: Submission) {
  const { chainId } = submission
  const newest =
    submission.terms.act === "call"
      ? (CallJournal.newest(CallJournal.read(submission)) as Journal.Attempt)
      : (Journal.read(submission).attempts.at(-1) as Journal.Attempt)
  const reason = yield* (yield* EvmRelay).broadcast(chainId, newest.raw).pipe(
    Effect.as(null),
    Effect.catchTag("ChainUnavailable", () => Effect.succeed(replyLost))
  )
  return submission.reason === reason ? submission : { ...submission, reason }
})

const greater = (one: bigint, other: bigint) => (one > other ? one : other)
/** A quarter more, where nodes ask for an eighth or a tenth. */
const raised = (fee: bigint) => (fee * 5n) / 4n + 1n

/** What a transaction in another's place pays: more than nodes ask for, and no less than a new one. */
export const replacementFees = (newest: Journal.Attempt, conditions: Conditions) => ({
  maxFeePerGas: greater(raised(newest.maxFeePerGas), conditions.maxFeePerGas),
  maxPriorityFeePerGas: greater(
    raised(newest.maxPriorityFeePerGas),
    conditions.maxPriorityFeePerGas
  ),
  gas: newest.gas
})

/**
 * How long what was just handed over is left alone: a quarter of the time between two looks, and as long again as it
 * has taken so far. A chain that makes blocks sooner than it is asked for them is not waited for a whole turn.
 */
const untilNextLook = Effect.fnUntraced(function* (chainId: string, ageMs: number) {
  const { connected } = yield* Chains
  const pollMs = connected.find(({ chain }) => chain.id === chainId)?.pollMs ?? soonestMs
  return Math.min(pollMs, soonestMs, Math.max(Math.ceil(pollMs / 4), ageMs))
})

/** What no block shows is handed over again, and replaced when that does not help. */
const unseen = Effect.fnUntraced(function* (look: Look) {
  const { attempts, authorization } = look
  const newest = attempts.at(-1)
  const txIds = attempts.map(({ txHash }) => txHash)
  if (newest === undefined) return onward({ ...look.submission, status: "signed", txIds })
  const submission: Submission = { ...look.submission, status: "submitted", txIds }
  const ageMs = DateTime.toEpochMillis(yield* DateTime.now) - DateTime.toEpochMillis(newest.at)
  if (look.handedOver.has(submission.id)) {
    return waiting(submission, yield* untilNextLook(submission.chainId, ageMs))
  }
  const again = Effect.map(submit(submission), (at) => waiting(at))
  if (ageMs < replaceAfterMs) return yield* again
  const conditions = withBytesOf(yield* look.conditions, authorization)
  const isHeld = yield* Nonce.isUsable(submission, conditions)
  if (isHeld && (yield* Nonce.fillsGap(submission, conditions))) return yield* again
  if (attempts.length >= maxAttempts) return yield* again
  // The bytes before it stay good: the token takes one authorization once, under whatever nonce.
  const relayer = yield* Nonce.relayerOn(submission.chainId)
  const fees = replacementFees(newest, conditions)
  return plan(look, submission, { fees, conditions, relayer, isHeld })
})

/** The token takes it no more: what still holds its place is pushed, so that nothing waits behind it, and none other is made. */
const spent = Effect.fnUntraced(function* (look: Look) {
  const submission: Submission = { ...look.submission, reason: spentOtherwise }
  return (yield* Nonce.isUsable(submission, yield* look.conditions))
    ? yield* unseen({ ...look, submission })
    : waiting({ ...submission, status: "submitted" })
})

/**
 * Another permit of the wallet took this one's count, and that is final: nothing that carries it can ever
 * take effect. Once its relayer nonce is used up, the next count is signed and carried for itself.
 */
const signAnew = Effect.fnUntraced(function* ({ conditions, submission }: Look) {
  return (yield* Nonce.isCleared(submission, conditions))
    ? onward(anew(submission))
    : waiting(submission)
})

const whyImpossible = ({ reason }: Submission): string => {
  if (reason === spentOtherwise) return reason
  return reason === reverted ? revertedForGood : ranOut
}

export const follow = Effect.fnUntraced(function* (look: Look) {
  const { attempts, authorization, handedOver, submission } = look
  const depth = handedOver.has(submission.id) ? "receipts" : "whole"
  const trace = yield* (yield* EvmRelay).trace(authorization, attempts, depth)
  switch (trace._tag) {
    case "paid":
      return paid(look, trace)
    case "impossible":
      return onward({ ...submission, status: "failed", reason: whyImpossible(submission) })
    case "spent":
      return yield* spent(look)
    case "reverted":
      // Whoever saw the signature may still have the token take it, until it runs out.
      return waiting({ ...submission, status: "submitted", reason: reverted })
    case "nonce_consumed":
      return yield* trace.isFinal ? signAnew(look) : unseen(look)
    case "pending":
      return yield* unseen(look)
  }
})
