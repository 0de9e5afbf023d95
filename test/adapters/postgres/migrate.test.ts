/** Migrations are applied once, whoever starts, how often and how many at a time. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as AdvisoryLock from "../../../adapters/postgres/advisory-lock.ts"
import {
  DatabaseIsNewer,
  DatabaseIsOther,
  layer,
  migrate,
  pending
} from "../../../adapters/postgres/migrate.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { kinds } from "../../../core/treasury/kinds.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

const names = ["0001-baseline"]

const empty = Layer.unwrap(
  Effect.map(FreshDatabase.url("empty"), (address) => FreshDatabase.engineAt(address, 2))
)

it.effect("a second start finds nothing left to migrate", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* migrate, names)
    assert.deepStrictEqual(yield* migrate, [])
  }).pipe(Effect.provide(empty))
)

it.effect("a start that lacks nothing waits for nobody who migrates", () =>
  Effect.gen(function* () {
    const address = yield* FreshDatabase.url("empty")
    const start = Effect.provide(migrate, FreshDatabase.engineAt(address, 2))
    yield* start
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(${AdvisoryLock.space}, ${AdvisoryLock.migrations})`
          assert.deepStrictEqual(yield* start, [])
        })
      )
    }).pipe(Effect.provide(FreshDatabase.engineAt(address, 2)))
  })
)

it.effect("what a start would apply is told without applying it", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* pending, { isEmpty: true, names })
    assert.deepStrictEqual(yield* migrate, names)
    assert.deepStrictEqual(yield* pending, { isEmpty: false, names: [] })
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into migration (name, hash) values ('9999-later', 'of its own')`
    assert.instanceOf(yield* Effect.flip(pending), DatabaseIsNewer)
  }).pipe(Effect.provide(empty))
)

it.effect(
  "each start adds the kinds of proposals that the database does not know, and takes none",
  () =>
    Effect.gen(function* () {
      yield* migrate
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from proposal_kind where name = 'send'`
      yield* sql`insert into proposal_kind (name) values ('of another version')`
      yield* migrate
      const rows = yield* sql<{ name: string }>`select name from proposal_kind`
      assert.sameMembers(
        rows.map(({ name }) => name),
        [...Object.keys(kinds), "of another version"]
      )
    }).pipe(Effect.provide(empty))
)

it.effect("of many processes that start at once on an empty server, one migrates it", () =>
  Effect.gen(function* () {
    const address = yield* FreshDatabase.url("empty")
    const start = Effect.provide(migrate, FreshDatabase.engineAt(address, 1))
    const applied = yield* Effect.all([start, start, start, start], { concurrency: "unbounded" })
    assert.deepStrictEqual(
      applied.filter((each) => each.length > 0),
      [names]
    )
  })
)

it.effect("many processes build all stores at once on an empty server", () =>
  Effect.gen(function* () {
    const address = yield* FreshDatabase.url("empty")
    const stores = Layer.build(
      Stores.layer.pipe(
        Layer.provide(layer),
        Layer.provide(FreshDatabase.engineAt(address, 3)),
        Layer.fresh
      )
    ).pipe(Effect.scoped)
    yield* Effect.all([stores, stores, stores, stores], { concurrency: "unbounded" })
  })
)

it.effect("a migration that fails leaves nothing behind, so the next start begins anew", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table delivery_attempt (in_the_way integer)`
    yield* Effect.flip(migrate)
    assert.deepStrictEqual(yield* sql`select to_regclass('account') as found`, [{ found: null }])
    yield* sql`drop table delivery_attempt`
    assert.deepStrictEqual(yield* migrate, names)
  }).pipe(Effect.provide(empty))
)

it.effect("a database that a later version migrated is refused, by the names it carries", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate
    yield* sql`insert into migration (name, hash) values ('9999-later', 'of its own')`
    const refused = yield* Effect.flip(migrate)
    assert.instanceOf(refused, DatabaseIsNewer)
    assert.include(String(refused.message), "9999-later")
  }).pipe(Effect.provide(empty))
)

it.effect("a database that was made by an edited baseline is refused and left as it is", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate
    const refusedNow = Effect.gen(function* () {
      yield* sql`delete from proposal_kind where name = 'send'`
      const refused = yield* Effect.flip(migrate)
      assert.instanceOf(refused, DatabaseIsOther)
      assert.include(String(refused.message), "0001-baseline")
      assert.include(String(refused.message), "bursar keys export-root")
      assert.isEmpty(yield* sql`select name from proposal_kind where name = 'send'`)
    })
    yield* sql`update migration set hash = 'of another'`
    yield* refusedNow
    // As the first versions kept it.
    yield* sql`alter table migration drop column hash`
    yield* refusedNow
  }).pipe(Effect.provide(empty))
)
