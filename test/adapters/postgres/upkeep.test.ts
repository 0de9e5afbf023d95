/** Tables are looked after: a server's that grow are counted anew, and an embedded engine's are cleared of dead rows. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Embedded from "../../../adapters/postgres/embedded.ts"
import * as Upkeep from "../../../adapters/postgres/upkeep.ts"
import * as Fresh from "../../support/fresh-database.ts"

const bounds = Upkeep.usual

/** More rows, of which the database has heard once this is over: a session tells what it has counted a little later. */
const fill = Effect.fnUntraced(function* (rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`insert into note select n, 'word' from generate_series(1, ${rows}::integer) n`
      yield* sql`select pg_stat_force_next_flush()`
    })
  )
  const isHeard = Effect.map(
    sql<{ readonly told: boolean }>`select told from (
      select count(*) = pg_stat_get_live_tuples('note'::regclass) as told from note) one`,
    ([row]) => row?.told === true
  )
  yield* Effect.repeat(isHeard, { until: (told) => told, schedule: Schedule.spaced("5 millis") })
})

/** Left alone by a server's own process. */
const made = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`create table note (id integer, word text) with (autovacuum_enabled = off)`
)

const stateOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<Readonly<Record<"rows" | "dead" | "age" | "kib", number>>>`
    select reltuples::float8 as rows, pg_stat_get_dead_tuples(oid)::float8 as dead,
      age(relfrozenxid)::float8 as age, (pg_relation_size(oid) / 1024)::float8 as kib
    from pg_class where oid = ${table}::regclass`
  if (row === undefined) return yield* Effect.die(new Error("The table is not there"))
  return row
})

it.live("a server's table is counted when it has grown fourfold, and not before", () =>
  Effect.gen(function* () {
    yield* made
    yield* fill(499)
    yield* Upkeep.visit(bounds)
    assert.strictEqual((yield* stateOf("note")).rows, -1)
    yield* fill(1)
    yield* Upkeep.visit(bounds)
    assert.strictEqual((yield* stateOf("note")).rows, 500)
    yield* fill(1499)
    yield* Upkeep.visit(bounds)
    assert.strictEqual((yield* stateOf("note")).rows, 500)
    yield* fill(1)
    yield* Upkeep.visit(bounds)
    assert.strictEqual((yield* stateOf("note")).rows, 2000)
  }).pipe(Effect.provide(Fresh.engine))
)

it.live("an embedded table does not grow with what is written over", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* made
    yield* sql`create index on note (word)`
    yield* fill(1000)
    yield* Upkeep.visit(bounds)
    assert.deepInclude(yield* stateOf("note"), { rows: 1000, dead: 0 })
    for (let time = 0; time < 20; time++) {
      yield* sql`update note set word = ${`word ${time}`}`
      yield* Upkeep.visit(bounds)
      assert.strictEqual((yield* stateOf("note")).dead, 0)
    }
    // Room for what lives and for what one round leaves dead.
    assert.isBelow((yield* stateOf("note")).kib, 160)
  }).pipe(Effect.provide(Embedded.memory))
)

it.live("an embedded table is frozen long before the numbers of transactions run out", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* made
    for (let time = 0; time < 400; time++) yield* sql`insert into note values (1, 'word')`
    yield* Upkeep.visit(bounds)
    assert.isAbove((yield* stateOf("note")).age, 400)
    assert.isAbove((yield* stateOf("pg_class")).age, 400)
    yield* Upkeep.visit({ ...bounds, freezesAfter: 400 })
    // Each table that was counted has taken a number itself.
    assert.isBelow((yield* stateOf("note")).age, 200)
    assert.isBelow((yield* stateOf("pg_class")).age, 200)
  }).pipe(Effect.provide(Embedded.memory))
)

it.live("tables are looked after for as long as the engine is open, whatever goes wrong once", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`set default_transaction_read_only = on`
    yield* Effect.sleep("100 millis")
    yield* sql`set default_transaction_read_only = off`
    yield* made
    yield* fill(1000)
    const isCounted = Effect.map(stateOf("note"), ({ rows }) => rows === 1000)
    yield* Effect.repeat(isCounted, { until: (is) => is, schedule: Schedule.spaced("10 millis") })
  }).pipe(Effect.provide(Layer.provideMerge(Upkeep.layerEvery(20), Embedded.memory)))
)
