/** Opens, claims and concludes submissions at times a test names; the queue is one for all accounts. */
import { DateTime, Effect } from "effect"
import { claimMs } from "../../core/background/holding.ts"
import * as Advance from "../../core/submissions/advance.ts"
import type { Submission, Terms } from "../../core/submissions/submission.ts"
import { type Claimed, SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"
import * as Stored from "./stored-rows.ts"

export const claimAt = (seconds: number, most = 100) =>
  Effect.flatMap(SubmissionStore, (store) =>
    store.claim({ now: Rows.at(seconds), leaseMs: 30_000, most })
  )

/** What is due now, claimed as a worker does it. */
export const claimNow = (most: number) =>
  Effect.gen(function* () {
    const now = yield* DateTime.now
    return yield* (yield* SubmissionStore).claim({ now, leaseMs: claimMs, most })
  })

const saved = (lease: string, submission: Submission, isLast: boolean) =>
  Effect.map(
    Effect.flatMap(SubmissionStore, (store) => store.save([{ lease, submission, isLast }])),
    (current) => current.includes(lease)
  )

/** Saves progress of one and keeps its lease; false when it is not current. */
export const note = (lease: string, submission: Submission) => saved(lease, submission, false)

/** Saves progress of one and ends its lease; false when it was not current. */
export const conclude = (lease: string, submission: Submission) => saved(lease, submission, true)

export const concludeAsEnded = ({ lease, submission }: Claimed) =>
  conclude(lease, SendingRows.ended(submission))

/** What earlier tests left in the queue is ended first. */
export const emptyQueue = Effect.gen(function* () {
  let left = yield* claimAt(50_000_000, 1000)
  while (left.length > 0) {
    yield* Effect.forEach(left, concludeAsEnded, { discard: true })
    left = yield* claimAt(50_000_000, 1000)
  }
})

/** A submission of a proposal and a wallet of its own, not opened yet. */
export const aSubmission = Effect.fnUntraced(function* (
  over: Partial<Submission> = {},
  terms: Partial<Terms> = {}
) {
  const proposal = yield* Stored.proposal({ status: "executing" })
  const chainId = over.chainId ?? Rows.aChainId()
  const wallet = yield* Stored.wallet(proposal.accountId, { chainId })
  return SendingRows.aSubmission(proposal, wallet, terms, over)
})

/** Opens a submission for each of these due times. */
export const queued = Effect.fnUntraced(function* (due: ReadonlyArray<number>) {
  const store = yield* SubmissionStore
  return yield* Effect.forEach(due, (seconds) =>
    Effect.tap(aSubmission({ nextLookAt: Rows.at(seconds) }), store.open)
  )
})

export const idsOf = (claimed: ReadonlyArray<Claimed>) =>
  claimed.map(({ submission }) => submission.id)

/** Those that were claimed, taken on side by side; whether the lease of each was current to the end. */
export const advancedTogether = (claimed: ReadonlyArray<Claimed>) =>
  Effect.gen(function* () {
    const { inBatches } = yield* Advance.make
    return yield* Effect.forEach(yield* inBatches(claimed), Advance.advance, {
      concurrency: "unbounded"
    })
  }).pipe(Effect.scoped)

/** One claimed submission taken on by itself. */
export const advanced = (claimed: Claimed) =>
  Effect.map(
    advancedTogether([claimed]),
    ([carried]) => carried !== undefined && carried !== "lost"
  )

/** All that were claimed, taken on one after the other. */
export const allAdvanced = (claimed: ReadonlyArray<Claimed>) =>
  Effect.forEach(claimed, advanced, { discard: true })
