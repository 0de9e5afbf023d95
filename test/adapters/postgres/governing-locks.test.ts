/** On a server: who locks an account's co-signers and who changes them wait for each other, and nobody else does. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Cosigners } from "../../../core/cosigners/cosigner-store.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as GovernanceRows from "../../support/governance-rows.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const stores = Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))

/** Does the work in a transaction that stays open until it is let go. */
const holding = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const { run } = yield* Atomically
  const [done, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const fiber = yield* work.pipe(
    Effect.tap(() => Effect.andThen(Deferred.succeed(done, undefined), Deferred.await(letGo))),
    run,
    Effect.forkChild
  )
  yield* Effect.raceFirst(Deferred.await(done), Fiber.join(fiber))
  return { end: Effect.andThen(Deferred.succeed(letGo, undefined), Fiber.join(fiber)) }
})

/** How many wait in this database just now for a lock that guards no row. */
const waiters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select pid from pg_locks
    where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`
  return rows.length
})

/** Starts the work in a transaction of its own, and sees that it waits. */
const waiting = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const { run } = yield* Atomically
  const fiber = yield* Effect.forkChild(run(work))
  const isOver = () => fiber.pollUnsafe() !== undefined
  yield* Effect.repeat(waiters, { until: (count) => count > 0 || isOver() })
  assert.isFalse(isOver(), "it should wait")
  return fiber
})

layer(stores)("governing, locks", (it) => {
  it.effect("many share the lock, and who locks alone waits for the last of them", () =>
    Effect.gen(function* () {
      const { lockShared, lock } = yield* Cosigners
      const { id } = yield* Stored.account()
      const [one, other] = [yield* holding(lockShared(id)), yield* holding(lockShared(id))]
      const locking = yield* waiting(lock(id))
      yield* one.end
      assert.strictEqual(yield* waiters, 1)
      yield* other.end
      yield* Fiber.join(locking)
    })
  )

  it.effect(
    "who shares the lock waits for who has it alone, and reads the rules that came of it",
    () =>
      Effect.gen(function* () {
        const { lockShared, lock, revise } = yield* Cosigners
        const { id } = yield* Stored.account()
        const revision = GovernanceRows.aRevision(id)
        const holder = yield* holding(Effect.andThen(lock(id), revise(revision)))
        const sharing = yield* waiting(lockShared(id))
        yield* holder.end
        assert.deepStrictEqual(yield* Fiber.join(sharing), revision)
      })
  )

  it.effect(
    "members and rules change for nobody who shares the lock, whether or not one had it alone",
    () =>
      Effect.gen(function* () {
        const { lockShared, join, leave, revise } = yield* Cosigners
        const { id } = yield* Stored.account()
        const member = yield* Stored.member(id)
        const anew = { ...member, id: Rows.anId() }
        for (const change of [
          revise(GovernanceRows.aRevision(id)),
          leave(id, member.id, Rows.at(2)),
          join(anew)
        ]) {
          const holder = yield* holding(lockShared(id))
          const changing = yield* waiting(change)
          yield* holder.end
          assert.isTrue(yield* Fiber.join(changing))
        }
      })
  )

  it.effect("an invite waits for who joins just then, and is not let in", () =>
    Effect.gen(function* () {
      const { invite } = yield* Cosigners
      const { id } = yield* Stored.account()
      const { id: cosigner } = yield* Stored.account()
      const holder = yield* holding(Stored.member(id, { cosignerAccountId: cosigner }))
      const inviting = yield* waiting(invite(GovernanceRows.anInvite(id, cosigner)))
      yield* holder.end
      assert.isFalse(yield* Fiber.join(inviting))
    })
  )

  it.effect("while an account is locked its other stores are written, and others locked", () =>
    Effect.gen(function* () {
      const { lockShared, lock } = yield* Cosigners
      const { reserve } = yield* Spending
      const { run } = yield* Atomically
      const { id: accountId } = yield* Stored.account()
      const holder = yield* holding(lock(accountId))
      const proposal = yield* Stored.proposal({ accountId })
      yield* Stored.approval({ accountId })
      yield* reserve(SendingRows.aReservation(proposal), SendingRows.limits())
      yield* run(lockShared((yield* Stored.account()).id))
      yield* holder.end
    })
  )
})
