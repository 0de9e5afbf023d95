/** Opens, claims and concludes submissions at times a test names; the queue is one for all accounts. */
import { Effect } from "effect"
import { advance, inBatches } from "../../core/submissions/advance.ts"
import type { Submission, Terms } from "../../core/submissions/submission.ts"
import { type Claimed, SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"
import * as Stored from "./stored-rows.ts"

export const claimAt = (seconds: number, most = 100) =>
  Effect.flatMap(SubmissionStore, (store) =>
    store.claim({ now: Rows.at(seconds), leaseMs: 30_000, most })
  )

export const concludeAsEnded = ({ lease, submission }: Claimed) =>
  Effect.flatMap(SubmissionStore, (store) => store.conclude(lease, SendingRows.ended(submission)))

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
  const proposal = yield* Stored.proposal({ status: "executing", subStatus: "queued" })
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

/** One claimed submission taken on by itself. */
export const advanced = (claimed: Claimed) =>
  Effect.flatMap(inBatches([claimed]), ([due]) =>
    due === undefined ? Effect.die(new Error("There is no batch.")) : advance(due)
  )

/** All that were claimed, taken on one after the other. */
export const allAdvanced = (claimed: ReadonlyArray<Claimed>) =>
  Effect.flatMap(inBatches(claimed), (due) => Effect.forEach(due, advance, { discard: true }))
