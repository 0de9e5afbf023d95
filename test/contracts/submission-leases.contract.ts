/** What a lease on a submission means: it ends by time, and a step counts only under the current one. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { type Claimed, SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"

type Stores = SubmissionStore | Proposals | Wallets | Accounts | Atomically

/** Claims the only submission that is queued. */
const claimOne = Effect.fnUntraced(function* (seconds: number) {
  const [claimed, ...more] = yield* SubmissionQueue.claimAt(seconds)
  if (claimed === undefined || more.length > 0) return assert.fail("one should be claimed")
  return claimed
})

const oneQueued = Effect.andThen(SubmissionQueue.emptyQueue, SubmissionQueue.queued([0]))

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  holdingSuite(name, stores)
  dueSuite(name, stores)
}

const holdingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: submissions, leases`, (it) => {
    it.effect("a lease that ended is taken over, and what its holder writes counts no more", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* oneQueued
        const first = yield* claimOne(10)
        assert.deepStrictEqual(yield* SubmissionQueue.claimAt(39.999), [])
        const second = yield* claimOne(40)
        assert.strictEqual(second.submission.id, first.submission.id)
        assert.notStrictEqual(second.lease, first.lease)
        const { submission } = first
        assert.isFalse(yield* SubmissionQueue.note(first.lease, SendingRows.submitted(submission)))
        assert.isFalse(yield* SubmissionQueue.concludeAsEnded(first))
        assert.deepStrictEqual(yield* store.find(submission.key), submission)
        assert.isTrue(yield* SubmissionQueue.concludeAsEnded(second))
        assert.isFalse(yield* SubmissionQueue.concludeAsEnded(second))
        assert.isFalse(yield* SubmissionQueue.note(second.lease, submission))
        const found = yield* store.find(submission.key)
        assert.deepStrictEqual(found, SendingRows.ended(submission))
      })
    )

    it.effect("of several that are saved together each counts under its own lease", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        yield* SubmissionQueue.queued([0, 1, 2])
        const [lost, kept, ended] = yield* SubmissionQueue.claimAt(10)
        if (!(lost && kept && ended)) return assert.fail("three are due")
        const [taken] = yield* SubmissionQueue.claimAt(40, 1)
        assert.strictEqual(taken?.submission.id, lost.submission.id)
        const writes = [lost, kept, ended].map(({ lease, submission }) => ({
          lease,
          submission: { ...submission, reason: "saved", nextLookAt: Rows.at(50) },
          isLast: submission.id === ended.submission.id
        }))
        assert.sameMembers([...(yield* store.save(writes))], [kept.lease, ended.lease])
        const reasonOf = ({ submission }: Claimed) =>
          Effect.map(store.find(submission.key), (found) => found?.reason)
        assert.isNull(yield* reasonOf(lost))
        assert.strictEqual(yield* reasonOf(kept), "saved")
        assert.strictEqual(yield* reasonOf(ended), "saved")
        assert.isFalse(yield* SubmissionQueue.note(ended.lease, ended.submission))
        assert.isTrue(yield* SubmissionQueue.note(kept.lease, kept.submission))
        assert.deepStrictEqual(yield* store.save([]), [])
      })
    )

    it.effect("of several that are saved in a transaction it is told which counted", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Atomically
        yield* SubmissionQueue.emptyQueue
        yield* SubmissionQueue.queued([0, 1])
        const [lost, kept] = yield* SubmissionQueue.claimAt(10)
        if (!(lost && kept)) return assert.fail("two are due")
        yield* SubmissionQueue.claimAt(40, 1)
        const saved = ({ lease, submission }: Claimed, reason: string) => ({
          lease,
          submission: { ...submission, reason },
          isLast: false
        })
        const reasons = Effect.forEach([lost, kept], ({ submission }) =>
          Effect.map(store.find(submission.key), (found) => found?.reason)
        )
        const told: Array<ReadonlyArray<string>> = []
        const saving = Effect.gen(function* () {
          const current = yield* store.save([saved(lost, "lost"), saved(kept, "kept")])
          told.push(current)
          return current
        })
        assert.deepStrictEqual(yield* run(saving), [kept.lease])
        assert.deepStrictEqual(told.at(-1), [kept.lease])
        assert.deepStrictEqual(yield* reasons, [null, "kept"])
        const refusing = Effect.flatMap(saving, (current) =>
          current.length < 2 ? Effect.fail("one is lost" as const) : Effect.succeed(current)
        )
        const before = saved(kept, "undone")
        const undone = Effect.andThen(store.save([before]), refusing)
        assert.strictEqual(yield* Effect.flip(run(undone)), "one is lost")
        assert.deepStrictEqual(yield* reasons, [null, "kept"])
      })
    )

    it.effect("a note keeps the lease, and who takes over finds what was written", () =>
      Effect.gen(function* () {
        yield* oneQueued
        const first = yield* claimOne(10)
        const wrapped = SendingRows.submitted(first.submission)
        assert.isTrue(yield* SubmissionQueue.note(first.lease, wrapped))
        assert.deepStrictEqual(yield* SubmissionQueue.claimAt(39), [])
        assert.deepStrictEqual((yield* claimOne(40)).submission, wrapped)
      })
    )

    it.effect(
      "what was written under a lease is undone with its transaction, the lease stays",
      () =>
        Effect.gen(function* () {
          const store = yield* SubmissionStore
          const { run } = yield* Atomically
          yield* oneQueued
          const claimed = yield* claimOne(10)
          yield* Effect.flip(
            run(Effect.andThen(SubmissionQueue.concludeAsEnded(claimed), Effect.fail("no")))
          )
          const { key } = claimed.submission
          assert.deepStrictEqual(yield* store.find(key), claimed.submission)
          assert.isTrue(yield* SubmissionQueue.concludeAsEnded(claimed))
        })
    )
  })

const dueSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: submissions, what is due`, (it) => {
    it.effect("what is concluded with a later look is claimed then; what is closed never", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* oneQueued
        const first = yield* claimOne(10)
        const later = { ...SendingRows.submitted(first.submission), nextLookAt: Rows.at(12) }
        assert.isTrue(yield* SubmissionQueue.conclude(first.lease, later))
        assert.deepStrictEqual(yield* SubmissionQueue.claimAt(11.999), [])
        const second = yield* claimOne(12)
        assert.deepStrictEqual(second.submission, later)
        // Closed under a lease that is kept: its end brings nothing back.
        assert.isTrue(yield* SubmissionQueue.note(second.lease, SendingRows.ended(later)))
        assert.deepStrictEqual(yield* SubmissionQueue.claimAt(100_000), [])
        assert.isUndefined(yield* store.nextDue(Rows.at(0)))
      })
    )

    it.effect("a leased one that is to be looked at after its lease is not claimed before", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* oneQueued
        const { lease, submission } = yield* claimOne(10)
        assert.isTrue(
          yield* SubmissionQueue.note(lease, { ...submission, nextLookAt: Rows.at(70) })
        )
        assert.deepStrictEqual(yield* store.nextDue(Rows.at(0)), Rows.at(70))
        assert.deepStrictEqual(yield* SubmissionQueue.claimAt(69.999), [])
        assert.strictEqual((yield* claimOne(70)).submission.id, submission.id)
      })
    )
  })
