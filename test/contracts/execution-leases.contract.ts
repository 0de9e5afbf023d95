/** What a lease on an execution means: it ends by time, and a step counts only under the current one. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { Executions } from "../../core/submissions/execution-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as ExecutionQueue from "../support/execution-queue.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"

type Stores = Executions | Proposals | Wallets | Accounts | Atomically

/** Claims the only execution that is queued. */
const claimOne = Effect.fnUntraced(function* (seconds: number) {
  const [claimed, ...more] = yield* ExecutionQueue.claimAt(seconds)
  if (claimed === undefined || more.length > 0) return assert.fail("one should be claimed")
  return claimed
})

const oneQueued = Effect.andThen(ExecutionQueue.emptyQueue, ExecutionQueue.queued([0]))

export const suite = (name: string, books: Layer.Layer<Stores>) => {
  holdingSuite(name, books)
  dueSuite(name, books)
}

const holdingSuite = (name: string, books: Layer.Layer<Stores>) =>
  layer(books)(`${name}: executions, leases`, (it) => {
    it.effect("a lease that ended is taken over, and what its holder writes counts no more", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* oneQueued
        const first = yield* claimOne(10)
        assert.deepStrictEqual(yield* ExecutionQueue.claimAt(39.999), [])
        const second = yield* claimOne(40)
        assert.strictEqual(second.execution.proposalId, first.execution.proposalId)
        assert.notStrictEqual(second.lease, first.lease)
        const { execution } = first
        assert.isFalse(yield* executions.note(first.lease, SendingRows.wrapped(execution)))
        assert.isFalse(yield* ExecutionQueue.concludeAsSettled(first))
        assert.deepStrictEqual(yield* executions.find(execution.proposalId), execution)
        assert.isTrue(yield* ExecutionQueue.concludeAsSettled(second))
        assert.isFalse(yield* ExecutionQueue.concludeAsSettled(second))
        assert.isFalse(yield* executions.note(second.lease, execution))
        const found = yield* executions.find(execution.proposalId)
        assert.deepStrictEqual(found, SendingRows.settled(execution))
      })
    )

    it.effect("a note keeps the lease, and who takes over finds what was written", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* oneQueued
        const first = yield* claimOne(10)
        const wrapped = SendingRows.wrapped(first.execution)
        assert.isTrue(yield* executions.note(first.lease, wrapped))
        assert.deepStrictEqual(yield* ExecutionQueue.claimAt(39), [])
        assert.deepStrictEqual((yield* claimOne(40)).execution, wrapped)
      })
    )

    it.effect("a lease is of one execution and counts for no other", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* ExecutionQueue.emptyQueue
        yield* ExecutionQueue.queued([0, 1])
        const [first, second] = yield* ExecutionQueue.claimAt(10)
        if (first === undefined || second === undefined) return assert.fail("two are due")
        const crossed = { ...second, lease: first.lease }
        assert.isFalse(
          yield* executions.note(crossed.lease, SendingRows.wrapped(crossed.execution))
        )
        assert.isFalse(yield* ExecutionQueue.concludeAsSettled(crossed))
        for (const { execution } of [first, second]) {
          assert.deepStrictEqual(yield* executions.find(execution.proposalId), execution)
        }
        assert.isTrue(yield* ExecutionQueue.concludeAsSettled(first))
        assert.isTrue(yield* ExecutionQueue.concludeAsSettled(second))
      })
    )

    it.effect(
      "what was written under a lease is undone with its transaction, the lease stays",
      () =>
        Effect.gen(function* () {
          const executions = yield* Executions
          const { run } = yield* Atomically
          yield* oneQueued
          const claimed = yield* claimOne(10)
          yield* Effect.flip(
            run(Effect.andThen(ExecutionQueue.concludeAsSettled(claimed), Effect.fail("no")))
          )
          const { proposalId } = claimed.execution
          assert.deepStrictEqual(yield* executions.find(proposalId), claimed.execution)
          assert.isTrue(yield* ExecutionQueue.concludeAsSettled(claimed))
        })
    )
  })

const dueSuite = (name: string, books: Layer.Layer<Stores>) =>
  layer(books)(`${name}: executions, what is due`, (it) => {
    it.effect("what is concluded with a later look is claimed then; what is settled never", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* oneQueued
        const first = yield* claimOne(10)
        const later = { ...SendingRows.wrapped(first.execution), nextLookAt: Rows.at(12) }
        assert.isTrue(yield* executions.conclude(first.lease, later))
        assert.deepStrictEqual(yield* ExecutionQueue.claimAt(11.999), [])
        const second = yield* claimOne(12)
        assert.deepStrictEqual(second.execution, later)
        // Settled under a lease that is kept: its end brings nothing back.
        assert.isTrue(yield* executions.note(second.lease, SendingRows.settled(later)))
        assert.deepStrictEqual(yield* ExecutionQueue.claimAt(100_000), [])
        assert.isUndefined(yield* executions.nextDue(Rows.at(0)))
      })
    )

    it.effect("a leased one that is to be looked at after its lease is not claimed before", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* oneQueued
        const { execution, lease } = yield* claimOne(10)
        assert.isTrue(yield* executions.note(lease, { ...execution, nextLookAt: Rows.at(70) }))
        assert.deepStrictEqual(yield* executions.nextDue(Rows.at(0)), Rows.at(70))
        assert.deepStrictEqual(yield* ExecutionQueue.claimAt(69.999), [])
        assert.strictEqual((yield* claimOne(70)).execution.proposalId, execution.proposalId)
      })
    )

    it.effect("the next due time is of what waits and of leases that run out", () =>
      Effect.gen(function* () {
        const { nextDue } = yield* Executions
        yield* ExecutionQueue.emptyQueue
        assert.isUndefined(yield* nextDue(Rows.at(0)))
        yield* ExecutionQueue.queued([50.5, 20])
        assert.deepStrictEqual(yield* nextDue(Rows.at(0)), Rows.at(20))
        const claimed = yield* claimOne(25)
        assert.deepStrictEqual(yield* nextDue(Rows.at(0)), Rows.at(50.5))
        const more = yield* claimOne(51)
        assert.deepStrictEqual(yield* nextDue(Rows.at(0)), Rows.at(55))
        yield* ExecutionQueue.concludeAsSettled(claimed)
        assert.deepStrictEqual(yield* nextDue(Rows.at(0)), Rows.at(81))
        yield* ExecutionQueue.concludeAsSettled(more)
        assert.isUndefined(yield* nextDue(Rows.at(0)))
      })
    )
  })
