/** Rows that are looked up by their ids in one turn are one statement, and a transaction sees what it wrote. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { gathered } from "../../../adapters/postgres/gathered.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

layer(Stores.layer.pipe(Layer.provideMerge(FreshDatabase.engine)))(
  "Looking rows up by their ids",
  (it) => {
    it.effect("asks once for all that are sought in one turn", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const asked: Array<ReadonlyArray<string>> = []
        const find = gathered<string>(
          sql,
          (found) => found,
          (keys) =>
            Effect.sync(() => {
              asked.push(keys)
              return keys.filter((key) => key !== "missing")
            })
        )
        const found = yield* Effect.forEach(["a", "b", "missing", "a"], find, {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(found, ["a", "b", undefined, "a"])
        assert.deepStrictEqual(asked, [["a", "b", "missing"]])
      })
    )

    it.effect(
      "asks once for transactions that hold and wrote nothing yet, and outside of them",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const accounts = yield* Accounts
          const { run } = yield* Atomically
          const { id } = yield* Stored.account()
          const asked: Array<string> = []
          const find = gathered<string>(
            sql,
            (found) => found,
            (keys) =>
              Effect.map(Effect.serviceOption(sql.transactionService), ({ _tag }) => {
                asked.push(`${keys.join(" ")} ${_tag}`)
                return keys
              })
          )
          const beginning = (key: string) => run(find(key))
          yield* Effect.forEach(["a", "b"], beginning, { concurrency: "unbounded" })
          assert.deepStrictEqual(asked, ["a b None"])
          const writing = run(Effect.andThen(accounts.pause(id, Rows.at(1)), find("c")))
          const holding = run(Effect.andThen(accounts.lock(id), find("d")))
          yield* Effect.all([writing, holding], { concurrency: "unbounded" })
          assert.sameMembers(asked.slice(1), ["c Some", "d Some"])
        })
    )

    it.effect("sees in a transaction what it wrote, and outside what is committed", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { run } = yield* Atomically
        const { id } = yield* Stored.account()
        const pausedAt = Effect.map(accounts.find(id), (account) => account?.pausedAt)
        yield* Effect.exit(
          run(
            Effect.gen(function* () {
              yield* accounts.pause(id, Rows.at(1))
              assert.deepStrictEqual(yield* pausedAt, Rows.at(1))
              return yield* Effect.fail("no")
            })
          )
        )
        assert.isNull(yield* pausedAt)
        yield* run(accounts.pause(id, Rows.at(2)))
        assert.deepStrictEqual(yield* pausedAt, Rows.at(2))
      })
    )
  }
)
