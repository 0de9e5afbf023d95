/** Old answers are shortened a hundred at a time, by several processes at once and by none twice. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { maxRows } from "../../../core/background/chore.ts"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const stores = Layer.orDie(
  Layer.provideMerge(
    Stores.layer,
    Layer.unwrap(Effect.map(FreshDatabase.url(), (url) => FreshDatabase.engineAt(url, 4)))
  )
)

const count = 250

/** Old answers to proposals, as they are kept. */
const answered = Effect.fnUntraced(function* (operation: string) {
  const sql = yield* SqlClient.SqlClient
  const { id } = yield* Stored.account()
  yield* sql`
    insert into idempotency_key (of_call, account_id, operation, fingerprint, lease_owner, reserved_at,
      lease_ends_at, answer)
    select md5(${operation} || n)::uuid, ${id}::uuid, ${operation}, 'print', '', '2026-01-01', '2026-01-01',
      '\\x00'::bytea || convert_to('{"proposalId":"p' || n || '","summary":"Send 5 USDC"}', 'UTF8')
    from generate_series(1, ${count}::integer) as n`
  const shorten = Effect.flatMap(Idempotency, ({ putAway }) =>
    putAway(Rows.at(0), { short: [operation], whole: [] }, maxRows)
  )
  yield* sql`create table if not exists shortened (operation text, of_call uuid)`
  yield* sql`create or replace function note_shortened() returns trigger language plpgsql as $$
    begin insert into shortened values (new.operation, new.of_call); return null; end $$`
  yield* sql`create or replace trigger note_shortened after update on idempotency_key
    for each row execute function note_shortened()`
  /** How often each answer was written again. */
  const writes = Effect.map(
    sql<{ readonly times: number }>`
      select count(*)::integer as times from shortened where operation = ${operation}
      group by of_call`,
    (all) => all.map(({ times }) => times)
  )
  const transactions = Effect.map(
    sql<{ readonly rows: number }>`
      select count(*)::integer as rows from idempotency_key
      where operation = ${operation} and is_put_away group by xmin::text order by 1 desc`,
    (all) => all.map(({ rows }) => rows)
  )
  return { sql, shorten, transactions, writes }
})

layer(stores)("old answers", (it) => {
  it.effect("are shortened a hundred a transaction, as many as a chore takes", () =>
    Effect.gen(function* () {
      const { shorten, transactions } = yield* answered("alone")
      assert.strictEqual(yield* shorten, count)
      assert.deepStrictEqual(yield* transactions, [100, 100, 50])
      assert.strictEqual(yield* shorten, 0)
    })
  )

  it.effect("are shortened by two processes at once, each by one of them", () =>
    Effect.gen(function* () {
      const { shorten, writes } = yield* answered("twice")
      const both = yield* Effect.all([shorten, shorten], { concurrency: "unbounded" })
      const rest = yield* shorten
      assert.deepStrictEqual(
        yield* writes,
        Array.from({ length: count }, () => 1)
      )
      assert.strictEqual(both[0] + both[1] + rest, count)
    })
  )

  it.effect("that another process has in hand are passed over and not waited for", () =>
    Effect.gen(function* () {
      const { shorten, sql } = yield* answered("held")
      const [isHeld, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holding = Effect.gen(function* () {
        yield* sql`select of_call from idempotency_key
          where of_call in (select md5('held' || n)::uuid from generate_series(1, 111) as n) for update`
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(isOver)
      })
      const holder = yield* Effect.forkChild(sql.withTransaction(holding))
      yield* Deferred.await(isHeld)
      assert.strictEqual(yield* shorten, count - 111)
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(holder)
      assert.strictEqual(yield* shorten, 111)
    })
  )
})
