/** Whoever asks with others hears how it ended: nobody waits for an answer that does not come, whatever becomes of the others. */
import { assert, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import * as Answer from "../../../adapters/postgres/answer.ts"
import { LeaseClock, ofCaller } from "../../../adapters/postgres/leases.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { askTogether } from "../../../core/ports/together.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import * as Stored from "../../support/stored-rows.ts"

const embedded = Layer.merge(FreshEmbedded.engine, Layer.succeed(LeaseClock, ofCaller))

const onServer = Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))
const onEmbedded = Layer.orDie(Layer.provideMerge(Stores.layer, embedded))

const run = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomically, (atomically) => atomically.run(work))

/** What hangs fails here, and says so. */
const ended = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(work, {
    duration: "8 seconds",
    orElse: () => Effect.die(new Error("It waits for ever"))
  })

const isDatabaseError = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) => Cause.isDieReason(reason) && isSqlError(reason.defect))

/** Repeatable, and a failure in every database. */
const failing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Answer.all(
    sql`select 1 / (count(*) - count(*)) as none from account`,
    () => undefined
  )
})

/** Does something while another holds the lock of an account, at most until it ends that. */
const whileHeld = Effect.fnUntraced(function* <A, E, R>(
  accountId: string,
  work: (end: Effect.Effect<void>) => Effect.Effect<A, E, R>
) {
  const [accounts, isHeld, mayEnd] = [
    yield* Accounts,
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  const held = Effect.gen(function* () {
    yield* accounts.lock(accountId)
    yield* Deferred.succeed(isHeld, undefined)
    yield* Deferred.await(mayEnd)
  })
  const holder = yield* Effect.forkChild(run(held))
  yield* Deferred.await(isHeld)
  const end = Effect.andThen(Deferred.succeed(mayEnd, undefined), Fiber.join(holder))
  return yield* Effect.ensuring(work(end), end)
})

const waitingForLock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const waiting = sql<{ pid: number }>`select pid from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`
  return yield* Effect.repeat(waiting, { until: ({ length }) => length > 0 })
})

for (const [engine, stores] of [
  ["a server", onServer],
  ["the embedded engine", onEmbedded]
] as const) {
  it.live(`a statement that fails on ${engine} is told to all who wait beside it`, () =>
    Effect.gen(function* () {
      const { id } = yield* Stored.account()
      const { find } = yield* Accounts
      // Known statements stand in one, unknown ones each by itself.
      for (let round = 0; round < 2; round++) {
        for (const questions of [
          [Effect.exit(failing), Effect.exit(find(id))],
          [Effect.exit(find(id)), Effect.exit(failing)]
        ]) {
          const [inside, outside] = [run(askTogether(questions)), askTogether(questions)]
          for (const exits of [yield* ended(inside), yield* ended(outside)]) {
            assert.isTrue(exits.every(isDatabaseError))
          }
        }
        // The session is free again.
        const [account] = yield* ended(run(askTogether([find(id), find(id)])))
        assert.strictEqual(account?.id, id)
      }
      const refused = yield* Effect.exit(ended(run(askTogether([find(id), failing, find(id)]))))
      assert.isTrue(isDatabaseError(refused))
    }).pipe(Effect.provide(stores))
  )

  it.live(`on ${engine} those beside questions that were refused are answered`, () =>
    Effect.gen(function* () {
      const { id } = yield* Stored.account()
      const { find } = yield* Accounts
      const nested: ReadonlyArray<Effect.Effect<unknown, string>> = [
        askTogether([find(id), Effect.fail("refused")]),
        // Refused when it was answered, while the one beside it asks again.
        askTogether([
          Effect.andThen(find(id), Effect.fail("refused")),
          Effect.andThen(find(id), find("nobody's"))
        ]),
        // The first one ends before the last is begun.
        askTogether([find(id), Effect.andThen(Effect.void, Effect.fail("refused")), find(id)]),
        Effect.andThen(askTogether([askTogether([find(id), Effect.fail("refused")])]), find(id))
      ]
      for (const each of nested) {
        const work = askTogether([Effect.andThen(Effect.flip(each), find(id)), find(id)])
        for (const [after, beside] of [yield* ended(work), yield* ended(run(work))]) {
          assert.deepStrictEqual([after?.id, beside?.id], [id, id])
        }
      }
    }).pipe(Effect.provide(stores))
  )

  it.live(`on ${engine} one who is interrupted keeps nobody waiting`, () =>
    Effect.gen(function* () {
      const { id } = yield* Stored.account()
      const { find } = yield* Accounts
      const late = Effect.andThen(Effect.sleep("100 millis"), find(id))
      // It asks, is interrupted before anything is said, and asks again.
      const again = Effect.andThen(Effect.timeoutOption(find("nobody's"), "20 millis"), find(id))
      const gone = Effect.timeoutOption(askTogether([find(id), find("nobody's")]), "20 millis")
      for (const work of [
        askTogether([again, late]),
        askTogether([Effect.andThen(gone, find(id)), late])
      ]) {
        for (const [first, second] of [yield* ended(work), yield* ended(run(work))]) {
          assert.deepStrictEqual([first?.id, second?.id], [id, id])
        }
      }
    }).pipe(Effect.provide(stores))
  )
}

it.live("a lock that the database gives up is told to all, and its transaction ends", () =>
  Effect.gen(function* () {
    const { id } = yield* Stored.account()
    const [{ find, lock }, sql] = [yield* Accounts, yield* SqlClient.SqlClient]
    const cancelled = Effect.fnUntraced(function* (
      heard: Effect.Effect<ReadonlyArray<Exit.Exit<unknown>>, never, Atomically>
    ) {
      const waiter = yield* Effect.forkChild(ended(heard))
      for (const { pid } of yield* waitingForLock) yield* sql`select pg_cancel_backend(${pid})`
      return yield* Fiber.join(waiter)
    })
    const both = askTogether([
      Effect.exit(Effect.andThen(lock(id), find(id))),
      Effect.exit(find(id))
    ])
    const heard = Effect.gen(function* () {
      const answers: Array<Exit.Exit<unknown>> = []
      const hearing = Effect.tap(both, (exits) => Effect.sync(() => answers.push(...exits)))
      // What was undone cannot be committed either.
      const whole = yield* Effect.exit(run(hearing))
      return [...answers, whole]
    })
    const exits = yield* whileHeld(id, () => cancelled(heard))
    assert.deepStrictEqual(exits.map(isDatabaseError), [true, true, true])
    assert.strictEqual((yield* ended(run(lock(id))))?.id, id)
  }).pipe(Effect.provide(onServer))
)

it.live("two who wait in a circle are told apart, and the one undone begins again", () =>
  Effect.gen(function* () {
    const [one, other] = [(yield* Stored.account()).id, (yield* Stored.account()).id]
    const { find, lock } = yield* Accounts
    const [oneHolds, otherHolds] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    let begun = 0
    const locking = (
      first: string,
      second: string,
      own: Deferred.Deferred<void>,
      theirs: Deferred.Deferred<void>
    ) =>
      Effect.gen(function* () {
        begun += 1
        yield* lock(first)
        yield* Deferred.succeed(own, undefined)
        yield* Deferred.await(theirs)
        const [locked, beside] = yield* askTogether([
          Effect.exit(lock(second)),
          Effect.exit(Effect.andThen(find(second), find(first)))
        ])
        // Even one that was held back undoes the transaction, which begins again.
        return [(yield* locked)?.id, (yield* beside)?.id]
      })
    const answers = yield* ended(
      Effect.all(
        [
          run(locking(one, other, oneHolds, otherHolds)),
          run(locking(other, one, otherHolds, oneHolds))
        ],
        { concurrency: 2 }
      )
    )
    assert.deepStrictEqual(answers, [
      [other, one],
      [one, other]
    ])
    assert.isAtLeast(begun, 3)
  }).pipe(Effect.provide(onServer))
)

it.live("one who stops waiting for a lock leaves the others their wait for it", () =>
  Effect.gen(function* () {
    const { id } = yield* Stored.account()
    const { find, lock } = yield* Accounts
    const brief = Effect.as(Effect.timeoutOption(lock(id), "100 millis"), undefined)
    // Whichever of them came last has said it.
    for (const order of [
      [lock(id), brief],
      [brief, lock(id)]
    ] as const) {
      const work = Effect.map(askTogether(order), (answers) => answers.map((each) => each?.id))
      const waited = Effect.fnUntraced(function* (end: Effect.Effect<void>) {
        const waiter = yield* Effect.forkChild(ended(run(Effect.tap(work, () => find(id)))))
        yield* waitingForLock
        yield* Effect.sleep("200 millis")
        yield* end
        return yield* Fiber.join(waiter)
      })
      assert.include(yield* whileHeld(id, waited), id)
    }
    // Whoever gives up as a whole leaves no statement and no lock.
    const stopped = run(askTogether([lock(id), lock(id), find(id)]))
    yield* whileHeld(id, () => ended(Effect.timeoutOption(stopped, "100 millis")))
    assert.strictEqual((yield* ended(run(askTogether([lock(id), find(id)]))))[0]?.id, id)
  }).pipe(Effect.provide(onServer))
)
