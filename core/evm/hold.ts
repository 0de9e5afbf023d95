/**
 * A wallet's own nonces. One call of a wallet is under way at a time, and none is signed while the chain knows
 * transactions of the wallet that the records do not: each of those is looked at first.
 */
import { Effect } from "effect"
import { anew, type Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Step } from "../submissions/submitter.ts"
import { callIn, isOf, isSameCall, type ToldNonce, type UsedNonce } from "./call.ts"
import { keptOf, learn, maxUnknown } from "./forgotten.ts"
import { onward, type Shared, waiting } from "./look.ts"
import { callReverted, chainBehind, notAsExpected, walletAhead, walletBusy } from "./reasons.ts"
import { EvmRelay } from "./relay.ts"

const aheadWaitMs = 60_000

const usedOtherwise = (txId: string) =>
  `The idempotency key was already used for another transaction, ${txId}. Nothing was sent; propose it again with a new key.`

/**
 * Whether a call that succeeded did what it was for, in the block that has it. Where that state is forgotten its success
 * counts: what came after it says nothing of it, and what is told as failed may be done again.
 */
const didAsExpected = Effect.fnUntraced(function* (submission: Submission, used: UsedNonce) {
  const { expect } = callIn(submission.terms)
  if (expect === undefined) return true
  const { answers } = yield* EvmRelay
  return (yield* answers(submission.chainId, expect, used.blockHash)) ?? true
})

/**
 * What becomes of a call that the chain knows already by its identity, though these records do not. It takes a nonce that
 * no later record stands above; another try of the same act is then not told of it again.
 */
const recovered = Effect.fnUntraced(function* (
  submission: Submission,
  used: UsedNonce,
  nonce: number | null
) {
  const { terms } = submission
  const at: Submission = { ...anew(submission), txIds: [used.txId] }
  if (!used.isFinal) return waiting({ ...at, status: "seen" })
  if (!isSameCall(used, callIn(terms), terms.identity)) {
    return onward({ ...at, txIds: [], status: "failed", reason: usedOtherwise(used.txId) })
  }
  const known = { ...at, relayer: nonce === null ? null : terms.from, relayerSequence: nonce }
  if (!used.isSuccess) return onward({ ...known, status: "failed", reason: callReverted })
  return (yield* didAsExpected(submission, used))
    ? onward({ ...known, status: "final" })
    : onward({ ...known, status: "failed", reason: notAsExpected })
})

/** The step of a call that was made under its identity and ran; the first that did what it was for, if one did. */
const recoveredAmong = Effect.fnUntraced(function* (
  submission: Submission,
  kept: ReadonlyArray<ToldNonce>
) {
  let first: Step | undefined
  for (const used of kept) {
    if (!used.isSuccess || !isOf(used, submission.terms.identity)) continue
    // It takes no nonce of the records: below it there may be another that nobody has looked at.
    const step = yield* recovered(submission, { ...used, isFinal: true }, null)
    if (step.at.status === "final") return step
    first ??= step
  }
  return first
})

const unknownTransactions = Effect.fnUntraced(function* (submission: Submission, nonce: number) {
  const { chainId, terms } = submission
  yield* Effect.logError(
    `The wallet ${terms.from} on ${chainId} has used its nonce ${nonce} in a transaction that these records do not know; nothing of it is signed. If this stays, set the address of a node that keeps old states.`
  )
  return waiting({ ...submission, reason: walletAhead }, aheadWaitMs)
})

/** The step that a nonce used elsewhere comes to; undefined when what used it is final and of another call. */
export const judgeUsed = Effect.fnUntraced(function* (submission: Submission, nonce: number) {
  const { chainId, terms } = submission
  const used = yield* learn({ chainId, sender: terms.from, nonce })
  if (used === undefined) return yield* unknownTransactions(submission, nonce)
  if (isOf(used, terms.identity)) return yield* recovered(submission, used, nonce)
  return used.isFinal ? undefined : yield* unknownTransactions(submission, nonce)
})

const busy = (submission: Submission): Step => waiting({ ...submission, reason: walletBusy })

/** The step of a call that the chain has by its identity, or has something in the way of; undefined when it may be made. */
const judgeUnrecorded = Effect.fnUntraced(function* (
  submission: Submission,
  known: number,
  mined: number,
  kept: ReadonlyArray<ToldNonce>
) {
  const { terms } = submission
  if (mined <= (kept.at(-1)?.nonce ?? -1)) {
    return waiting({ ...submission, reason: chainBehind })
  }
  if (mined - known - kept.length > maxUnknown) return yield* unknownTransactions(submission, known)
  const byNonce = new Map(kept.map((used) => [used.nonce, used]))
  for (let nonce = known; nonce < mined; nonce++) {
    const used = byNonce.get(nonce)
    if (used === undefined) {
      const step = yield* judgeUsed(submission, nonce)
      if (step !== undefined) return step
    } else if (isOf(used, terms.identity)) {
      return yield* recovered(submission, { ...used, isFinal: true }, nonce)
    }
  }
  return undefined
})

/**
 * Finds the nonce that is the wallet's next on the chain and in the records alike. What was kept of a call that was
 * forgotten is asked first, also below newer records: another call may have come between it and its repetition.
 */
export const hold = Effect.fnUntraced(function* (submission: Submission, { holds }: Shared) {
  const { chainId, terms } = submission
  const newest = yield* (yield* SubmissionStore).newestSequence(chainId, terms.from)
  if (newest?.isClosed === false) return busy(submission)
  const known = newest === undefined ? 0 : newest.sequence + 1
  const { mined } = yield* (yield* EvmRelay).standing(chainId, terms.from)
  if (mined < known) return waiting({ ...submission, reason: chainBehind })
  const { doubtful, kept } = yield* keptOf({ chainId, sender: terms.from }, mined)
  if (doubtful !== undefined) return yield* unknownTransactions(submission, doubtful)
  const unrecorded = kept.filter(({ nonce }) => nonce >= known)
  const step =
    (yield* recoveredAmong(submission, kept)) ??
    (yield* judgeUnrecorded(submission, known, mined, unrecorded))
  if (step !== undefined) return step
  holds.set(submission.id, mined)
  // A block that had it is gone.
  const at = submission.status === "prepared" ? submission : anew(submission)
  return { at, next: "place" } satisfies Step
})

/** Gives each the nonce it found, in the transaction that writes it down; one call of a wallet at a time. */
export const placeHolds = Effect.fnUntraced(function* (
  submissions: ReadonlyArray<Submission>,
  { holds }: Pick<Shared, "holds">
) {
  const store = yield* SubmissionStore
  const steps = new Map<string, Step>()
  const taken = new Set<string>()
  // All take the locks of several wallets in one order.
  for (const at of submissions.toSorted((a, b) => (a.terms.from < b.terms.from ? -1 : 1))) {
    const { chainId, id, terms } = at
    const nonce = holds.get(id) as number
    const newest = yield* store.newestSequence(chainId, terms.from)
    const isFree = newest === undefined || (newest.isClosed && newest.sequence < nonce)
    steps.set(
      id,
      isFree && !taken.has(terms.from)
        ? onward({ ...at, relayer: terms.from, relayerSequence: nonce, reason: null })
        : busy(at)
    )
    taken.add(terms.from)
  }
  return steps
})
