/**
 * A wallet's own nonces. One call of a wallet is under way at a time, and none is signed while the chain knows
 * transactions of the wallet that the records do not: each of those is looked at first.
 */
import { Effect } from "effect"
import { anew, type Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Step } from "../submissions/submitter.ts"
import { callIn, isOf, isSameCall, type UsedNonce } from "./call.ts"
import { onward, type Shared, waiting } from "./look.ts"
import { callReverted, chainBehind, walletAhead, walletBusy } from "./reasons.ts"
import { EvmRelay } from "./relay.ts"

const aheadWaitMs = 60_000
/** Of so many unknown transactions each is looked at; more are the operator's business. */
const maxUnknown = 64

const usedOtherwise = (txId: string) =>
  `The idempotency key was already used for another transaction, ${txId}. Nothing was sent; propose it again with a new key.`

/**
 * What becomes of a call that the chain knows already by its identity, though these records do not. They keep its nonce
 * once it is final: the wallet's next call looks no further back, where a node may know nothing any more.
 */
const recovered = (submission: Submission, used: UsedNonce, nonce: number): Step => {
  const { terms } = submission
  const at: Submission = { ...anew(submission), txIds: [used.txId] }
  if (!used.isFinal) return waiting({ ...at, status: "seen" })
  const known: Submission = { ...at, relayer: terms.from, relayerSequence: nonce }
  if (!isSameCall(used, callIn(terms), terms.identity)) {
    const reason = usedOtherwise(used.txId)
    return { at: { ...known, txIds: [], status: "failed", reason }, next: "close" }
  }
  return used.isSuccess
    ? onward({ ...known, status: "final" })
    : onward({ ...known, status: "failed", reason: callReverted })
}

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
  const { usedBy } = yield* EvmRelay
  const used = yield* usedBy({ chainId, sender: terms.from, nonce })
  if (used === undefined) return yield* unknownTransactions(submission, nonce)
  if (isOf(used, terms.identity)) return recovered(submission, used, nonce)
  return used.isFinal ? undefined : yield* unknownTransactions(submission, nonce)
})

const busy = (submission: Submission): Step => waiting({ ...submission, reason: walletBusy })

/** Finds the nonce that is the wallet's next on the chain and in the records alike. */
export const hold = Effect.fnUntraced(function* (submission: Submission, { holds }: Shared) {
  const { chainId, terms } = submission
  const newest = yield* (yield* SubmissionStore).newestSequence(chainId, terms.from)
  if (newest?.isClosed === false) return busy(submission)
  const { mined } = yield* (yield* EvmRelay).standing(chainId, terms.from)
  const known = newest === undefined ? 0 : newest.sequence + 1
  if (mined < known) return waiting({ ...submission, reason: chainBehind })
  if (mined - known > maxUnknown) return yield* unknownTransactions(submission, known)
  for (let nonce = known; nonce < mined; nonce++) {
    const step = yield* judgeUsed(submission, nonce)
    if (step !== undefined) return step
  }
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
