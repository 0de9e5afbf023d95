/** The sessions that a start needs are opened side by side; a server that is away is said by whoever asks it. */
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../../../adapters/postgres/server.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

const at = (url: string, opensAtOnce: boolean) =>
  Server.layer({ url: Redacted.make(url), connectTimeout: Duration.infinity, opensAtOnce })

/** How many sessions there are once a first question was answered, beside the one that counts. */
const sessionsOf = (address: string, opensAtOnce: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const counted = Effect.gen(function* () {
      const counting = yield* SqlClient.SqlClient
      const [row] = yield* counting<{ readonly count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      return row?.count ?? 0
    }).pipe(Effect.provide(Layer.fresh(at(address, false))))
    yield* sql`select 1`
    const wanted = opensAtOnce ? 3 : 1
    let count = yield* counted
    // Each answers when it can; nobody asks for more.
    for (let looks = 0; looks < 100 && count < wanted; looks++) count = yield* counted
    return count
  }).pipe(Effect.provide(Layer.fresh(at(address, opensAtOnce))), Effect.scoped)

it.effect("a service opens what its start needs, and a command one session", () =>
  Effect.gen(function* () {
    const address = yield* FreshDatabase.url("empty")
    assert.strictEqual(yield* sessionsOf(address, true), 3)
    assert.strictEqual(yield* sessionsOf(address, false), 1)
  })
)

it.effect("a server that is away is an error of the first question, not of the start", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const error = yield* Effect.flip(sql`select 1`)
    assert.strictEqual(error._tag, "SqlError")
  }).pipe(Effect.provide(at("postgres://nobody:none@127.0.0.1:1/none", true)))
)
