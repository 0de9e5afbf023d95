/** The same read of several is said once, after each of them asked; whoever leaves takes nobody's answer along. */
import type { Result } from "@effect/sql-pg/PgConnection"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as ReadOnce from "../../../adapters/postgres/read-once.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as Wire from "../../support/wire.ts"

const answerOf = (name: string): Result => ({
  command: "SELECT",
  rowCount: 1,
  oid: null,
  rows: [{ name }],
  fields: []
})

const statement = "select name from shop where id = $1"

const asking = (id: string) => ({ statement, parameters: [id] })

const together = { concurrency: "unbounded" } as const

describe("Reads of one turn", () => {
  it.effect("says the same question once and another by itself", () =>
    Effect.gen(function* () {
      const said: Array<unknown> = []
      const ask = ReadOnce.make(({ parameters }) =>
        Effect.sync(() => {
          said.push(parameters[0])
          return answerOf(`${parameters[0]} ${said.length}`)
        })
      )
      const found = yield* Effect.forEach(["a", "b", "a"], (id) => ask(asking(id)), together)
      assert.deepStrictEqual(said, ["a", "b"])
      assert.deepStrictEqual(
        found.map(({ rows }) => rows[0]?.name),
        ["a 1", "b 2", "a 1"]
      )
    })
  )

  it.effect("says it anew for whoever asks once it is on its way", () =>
    Effect.gen(function* () {
      const [answer, begun] = [Deferred.makeUnsafe<Result>(), Deferred.makeUnsafe<void>()]
      let said = 0
      const ask = ReadOnce.make(() => {
        said += 1
        return said === 1
          ? Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answer))
          : Effect.succeed(answerOf("after"))
      })
      const before = yield* Effect.forkChild(
        Effect.all([ask(asking("a")), ask(asking("a"))], together)
      )
      yield* Deferred.await(begun)
      assert.strictEqual(said, 1)
      assert.strictEqual((yield* ask(asking("a"))).rows[0]?.name, "after")
      yield* Deferred.succeed(answer, answerOf("before"))
      const names = (yield* Fiber.join(before)).map(({ rows }) => rows[0]?.name)
      assert.deepStrictEqual(names, ["before", "before"])
    })
  )

  it.effect("tells all of them that it failed", () =>
    Effect.gen(function* () {
      const reason = new UnknownError({ cause: new Error("away"), message: "away", operation: "" })
      const ask = ReadOnce.make(() => Effect.fail(new SqlError({ reason })))
      const asked = [ask(asking("a")), ask(asking("a"))]
      const exits = yield* Effect.all(
        asked.map((each) => Effect.exit(each)),
        together
      )
      assert.deepStrictEqual(exits.map(Exit.isFailure), [true, true])
    })
  )

  it.effect("goes on while somebody waits, and ends what nobody waits for", () =>
    Effect.gen(function* () {
      const [answer, begun] = [Deferred.makeUnsafe<Result>(), Deferred.makeUnsafe<void>()]
      let ended = 0
      const said = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(answer))
      const ask = ReadOnce.make(() =>
        Effect.onInterrupt(said, () =>
          Effect.sync(() => {
            ended += 1
          })
        )
      )
      const fork = Effect.forkChild(ask(asking("a")))
      const [first, second] = [yield* fork, yield* fork]
      yield* Deferred.await(begun)
      // It goes on until it waits itself.
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      assert.strictEqual(ended, 0)
      yield* Fiber.interrupt(second)
      assert.strictEqual(ended, 1)
    })
  )

  it.effect("makes of shared rows what is made of them once", () =>
    Effect.gen(function* () {
      const ask = ReadOnce.make(() => Effect.sync(() => answerOf("a")))
      const read = (row: { readonly name?: unknown }) => ({ named: row.name })
      const madeOf = Effect.map(ask(asking("a")), ({ rows }) => ReadOnce.each(rows, read))
      const [one, other] = yield* Effect.all([madeOf, madeOf], together)
      assert.deepStrictEqual(one, [{ named: "a" }])
      assert.strictEqual(one, other)
      const alone = yield* madeOf
      assert.deepStrictEqual(alone, [{ named: "a" }])
      assert.notStrictEqual(alone, one)
    })
  )
})

const count = (accountId: string) =>
  Effect.map(
    Effect.flatMap(Wallets, ({ list }) => list(accountId, {}, { limit: 20 })),
    ({ rows }) => rows.length
  )

it.live(
  "lists that are asked for at once are one statement, but not the one of a transaction",
  () =>
    Effect.gen(function* () {
      const { run } = yield* Atomically
      const { accountId } = yield* Stored.vault()
      yield* count(accountId)
      const asked = Effect.all([count(accountId), count(accountId), count(accountId)], together)
      const { exit, statements } = yield* Wire.listenedTo(asked)
      assert.deepStrictEqual(exit, Exit.succeed([1, 1, 1]))
      assert.strictEqual(statements, 1)
      const seen = yield* run(
        Effect.gen(function* () {
          yield* Stored.wallet(accountId)
          return yield* count(accountId)
        })
      )
      assert.strictEqual(seen, 2)
      // Each comes after the commit, so each sees what it wrote.
      assert.deepStrictEqual(yield* asked, [2, 2, 2])
    }).pipe(Effect.provide(Wire.stores))
)
