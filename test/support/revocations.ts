/** Keys that are revoked on a server while they do something, and the server's own count of deadlocks. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Store } from "../../adapters/memory/store.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { operator } from "../../core/audit/record.ts"
import { type Choice, revokeKey } from "../../core/keys/revoke-key.ts"
import type { Facts } from "../../core/operation/caller.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Accounts from "./accounts.ts"
import * as FreshDatabase from "./fresh-database.ts"

const treasuryAt = (address: string) =>
  Layer.merge(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
    Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engineAt(address, 24)))
  )

export type Treasury = Layer.Success<ReturnType<typeof treasuryAt>>

/** The server counts what it ends for a deadlock, whether or not the transaction was begun again. */
const deadlocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A connection tells of itself when it ends, at the latest.
  yield* Effect.repeat(
    sql`select pid from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    { until: (others) => others.length === 0 }
  )
  const [row] = yield* sql<{ readonly deadlocks: bigint }>`
    select deadlocks from pg_stat_database where datname = current_database()`
  return row?.deadlocks
})

export const withoutDeadlock = (races: Effect.Effect<void, unknown, Treasury>) =>
  Effect.gen(function* () {
    const address = yield* FreshDatabase.url()
    yield* Effect.provide(races, treasuryAt(address))
    const counted = yield* Effect.provide(deadlocks, FreshDatabase.engineAt(address, 1))
    assert.strictEqual(counted, 0n)
  })

export const atOnce = { concurrency: "unbounded" } as const

/** In an order that differs from place to place, so that each is first somewhere. */
export const both = <A, B, E, F, R, S>(
  place: number,
  one: Effect.Effect<A, E, R>,
  other: Effect.Effect<B, F, S>
) =>
  place % 2 === 0
    ? Effect.all([one, other], atOnce)
    : Effect.map(Effect.all([other, one], atOnce), ([second, first]) => [first, second] as const)

export const aKey = Effect.fnUntraced(function* (accountId: string, madeBy?: string) {
  const over = madeBy === undefined ? {} : { madeBy }
  const { call, caller, key } = yield* Accounts.keyed({ accountId, kind: "developer" }, over)
  return { id: key.id, caller, call }
})

/** As people do it, in a transaction of its own. */
export const revoking = ({ accountId, keyId }: Facts, choice: Choice) =>
  Effect.flatMap(Atomically, ({ run }) => run(revokeKey(accountId, keyId, operator, choice)))

export const places = (count: number) => Array.from({ length: count }, (_, place) => place)
