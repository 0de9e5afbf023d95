/**
 * Carries submissions from their first row to their end, whatever they are for and whatever chain they are
 * on. Each step is written down before the next; every step may be repeated, here or on another replica.
 */
import { DateTime, Effect } from "effect"
import { claimMs } from "../background/holding.ts"
import { signatureRefused } from "../operation/metrics.ts"
import { Atomically } from "../ports/atomically.ts"
import { Chains } from "../ports/chains.ts"
import { SigningDenied } from "./order.ts"
import { Purposes, type Registry } from "./purposes.ts"
import { ended, isEnded, isUnsubmitted, type Submission } from "./submission.ts"
import { type Claimed, SubmissionStore } from "./submission-store.ts"
import { type Step, submitterOf } from "./submitter.ts"

const soonestMs = 2000

/** Rare enough to look into, often enough that it goes on soon after the records are put right. */
const deniedWaitMs = 60_000

export const chainAway = "The chain cannot be read now; it is looked at again."
const recordsDisagree = "The signing policy denied the signature; the operator is alerted."

/** What belongs to a purpose. That the registry has none of the name is a defect. */
export const purposeOf = Effect.fnUntraced(function* ({ purpose }: Submission) {
  const all = yield* Purposes
  if (purpose.name in all) return all[purpose.name as keyof Registry]
  return yield* Effect.die(new Error(`There is no purpose ${purpose.name}.`))
})

const failing = (submission: Submission, reason: string): Step => ({
  at: { ...submission, status: "failed", reason },
  next: "step"
})

/** A chain that cannot be read leaves everything as it is written; only the answer is unknown. */
const away = (submission: Submission): Step => ({
  at:
    isUnsubmitted(submission) || isEnded(submission)
      ? submission
      : { ...submission, reason: chainAway },
  next: "wait",
  waitMs: soonestMs
})

const admission = Effect.fnUntraced(function* (submission: Submission) {
  const { admit } = yield* purposeOf(submission)
  return yield* admit(submission)
})

/** Nothing is signed, nothing is ended and nothing given back; any other defect stays one. */
const denied = Effect.fnUntraced(function* (submission: Submission, defect: unknown) {
  if (!(defect instanceof SigningDenied)) return yield* Effect.die(defect)
  // What it relied on may have gone between our look and the signer's own, which is no disagreement.
  const now = yield* admission(submission)
  if (now._tag === "fail") return failing(submission, now.reason)
  yield* Effect.logError(defect.message)
  yield* signatureRefused(submission.chainId)
  const step: Step = {
    at: { ...submission, reason: recordsDisagree },
    next: "wait",
    waitMs: deniedWaitMs
  }
  return step
})

const batchOn = Effect.fnUntraced(function* (chainId: string) {
  return yield* (yield* submitterOf(chainId)).batch(chainId)
})

type Batch = Effect.Success<ReturnType<typeof batchOn>>

const stepOf = Effect.fnUntraced(function* (claimed: Claimed, batch: Batch) {
  const { submission } = claimed
  if (isUnsubmitted(submission)) {
    const now = yield* admission(submission)
    if (now._tag === "fail") return failing(submission, now.reason)
    if (now._tag === "wait") {
      const { reason, waitMs } = now
      return { at: { ...submission, reason }, next: "wait", waitMs } satisfies Step
    }
  }
  return yield* batch.step(claimed).pipe(
    Effect.catchTag("ChainUnavailable", () => Effect.succeed(away(submission))),
    Effect.catchDefect((defect) => denied(submission, defect))
  )
})

const isToldDifferently = (before: Submission, after: Submission): boolean =>
  before.status !== after.status ||
  before.reason !== after.reason ||
  before.txIds.join() !== after.txIds.join()

/** Writes an end down with what it means, in one transaction; only while the lease is ours is it our say. */
export const end = Effect.fnUntraced(function* (lease: string, ended: Submission) {
  const store = yield* SubmissionStore
  const purpose = yield* purposeOf(ended)
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      yield* purpose.lock(ended)
      if (!(yield* store.note(lease, ended))) return false
      yield* purpose.ended(ended)
      return true
    })
  )
})

/** The submission as a step leaves it, with the time of its next look. */
const left = Effect.fnUntraced(function* ({ at, next, waitMs }: Step) {
  const now = yield* DateTime.now
  if (next === "close") return ended({ ...at, updatedAt: now })
  if (next !== "wait") return { ...at, updatedAt: now }
  const { connected } = yield* Chains
  const pollMs = connected.find(({ chain }) => chain.id === at.chainId)?.pollMs ?? soonestMs
  const milliseconds = waitMs ?? Math.min(pollMs, soonestMs)
  return { ...at, nextLookAt: DateTime.add(now, { milliseconds }), updatedAt: now }
})

/**
 * Writes a step down, and with an end what it means. What is told of progress is told first, so that a death
 * between the two tells it again. False when another worker holds the lease now.
 */
const writeDown = Effect.fnUntraced(function* (
  lease: string,
  before: Submission,
  { at, isLast }: { readonly at: Submission; readonly isLast: boolean }
) {
  const store = yield* SubmissionStore
  if (isEnded(at) && !isEnded(before)) {
    const isOurs = yield* end(lease, at)
    return isOurs && isLast ? yield* store.conclude(lease, at) : isOurs
  }
  if (isToldDifferently(before, at)) yield* (yield* purposeOf(at)).progressed(at)
  return yield* isLast ? store.conclude(lease, at) : store.note(lease, at)
})

/** A claimed submission, with the steps that it shares with others of its chain. */
export interface Due extends Claimed {
  readonly batch: Batch
}

/** Takes one claimed submission on until it has to wait; false when its lease was lost on the way. */
export const advance = Effect.fnUntraced(function* ({ batch, lease, submission }: Due) {
  let before = submission
  let step: Step = yield* stepOf({ lease, submission }, batch)
  while (true) {
    // What is tidied up behind an end leaves the time of the end as it was.
    const { updatedAt } = before
    const after: Submission = yield* left(step)
    const at: Submission = isEnded(before) ? { ...after, updatedAt } : after
    const isLast = step.next === "wait" || step.next === "close"
    const isOurs: boolean = yield* writeDown(lease, before, { at, isLast })
    if (isLast || !isOurs) return isOurs
    before = at
    step = yield* step.next === "submit"
      ? batch.submit(at)
      : stepOf({ lease, submission: at }, batch)
  }
})

/** Gives those of one chain the same steps, so that what they share is asked once. */
export const inBatches = Effect.fnUntraced(function* (claimed: ReadonlyArray<Claimed>) {
  const byChain = Map.groupBy(claimed, ({ submission }) => submission.chainId)
  const batches = yield* Effect.forEach([...byChain], ([chainId, all]) =>
    Effect.map(batchOn(chainId), (batch) => all.map((each): Due => ({ ...each, batch })))
  )
  return batches.flat()
})

/** Claims submissions that are due, at most so many. */
export const claimSubmissions = Effect.fnUntraced(function* (most: number) {
  const now = yield* DateTime.now
  return yield* inBatches(yield* (yield* SubmissionStore).claim({ now, leaseMs: claimMs, most }))
})
