/** Chores touch a bounded number of rows, and read no more when there is more that they leave alone. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Figures from "../../../adapters/postgres/figures.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { maxRows } from "../../../core/background/chore.ts"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import type * as Page from "../../../core/operation/page.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../../../core/webhooks/endpoint-store.ts"
import { empty } from "../../../core/webhooks/switch.ts"
import { blocksOf } from "../../support/block-counter.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

// One connection, whose blocks are counted.
const engine = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (url) => FreshDatabase.engineAt(url, 1))
)
const stores = Layer.orDie(Layer.provideMerge(Stores.layer, engine))

layer(stores)("batches", (it) => {
  it.effect("an endpoint with 20,000 waiting deliveries is removed in one bounded call", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, id } = yield* Stored.endpoint((yield* Stored.account()).id)
      const event = yield* Stored.event(accountId)
      const count = 20_000
      yield* sql`
        insert into delivery (id, account_id, event_id, event_type, endpoint_id, url, status,
          attempt_count, max_attempts, next_attempt_at, created_at)
        select ${sql.literal(Numbered.inSql("delivery"))}, ${accountId}::uuid, ${event.id}, 'payment_request.paid', ${id}::uuid,
          'https://merchant.example', 'retrying', 1, 10, now(), '2026-01-01'
        from generate_series(1, ${count}::integer) as n`
      yield* sql`analyze delivery`
      const waiting = Effect.gen(function* () {
        const [row] = yield* sql<{ readonly rows: number }>`
          select count(*)::integer as rows from delivery where status = 'retrying'`
        return row?.rows
      })
      const deliveries = yield* Deliveries
      const removed = yield* blocksOf(
        Effect.andThen((yield* WebhookEndpoints).remove(accountId, id, Rows.at(1)), empty(id))
      )
      assert.isFalse(removed.found)
      assert.strictEqual(yield* waiting, count - maxRows)
      // All of it is skipped to whoever reads, from this instant on.
      const page = (status: "retrying" | "skipped") =>
        deliveries.list(accountId, { status }, { limit: 100 })
      assert.lengthOf((yield* page("retrying")).rows, 0)
      assert.lengthOf((yield* page("skipped")).rows, 100)
      const batches: Array<number> = []
      while (batches.at(-1) !== 0) batches.push(yield* deliveries.skipStranded(maxRows))
      assert.deepStrictEqual(batches, [...Array(19).fill(maxRows), 0])
      assert.strictEqual(yield* waiting, 0)
      // Some 25 blocks a row of indexes, for the rows it touched and no others.
      assert.isBelow(removed.blocks, 60 * maxRows)
    })
  )

  it.effect("the operator's figures read as much of 36,000 waiting deliveries as of 12,000", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, id } = yield* Stored.endpoint((yield* Stored.account()).id)
      const event = yield* Stored.event(accountId)
      // One that reads the table meanwhile would keep `vacuum` from telling which rows all may see.
      yield* sql`alter table delivery set (autovacuum_enabled = false)`
      const read = Effect.fnUntraced(function* (from: number, to: number) {
        yield* sql`
          insert into delivery (id, account_id, event_id, event_type, endpoint_id, url, status,
            attempt_count, max_attempts, next_attempt_at, created_at)
          select ${sql.literal(Numbered.inSql("figure"))}, ${accountId}::uuid, ${event.id}, 'payment_request.paid', ${id}::uuid,
            'https://merchant.example', 'retrying', 1, 10, '2026-01-01', '2026-01-01'
          from generate_series(${from}::integer, ${to}::integer) as n`
        yield* sql`vacuum analyze delivery`
        return (yield* blocksOf(Figures.measure([]))).blocks
      })
      const few = yield* read(1, 12_000)
      const many = yield* read(12_001, 36_000)
      assert.isBelow(many, few * 1.5)
    })
  )

  it.effect("the operator's figures read as much of 20,000 waiting audit entries as of 2,000", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accounts = [(yield* Stored.account()).id, (yield* Stored.account()).id]
      const read = Effect.fnUntraced(function* (from: number, to: number) {
        yield* sql`
          insert into audit_waiting (account_id, created_at, entry_id)
          select (${accounts}::uuid[])[1 + n % 2], now() + n * interval '1 second', gen_random_uuid()
          from generate_series(${from}::integer, ${to}::integer) as n`
        yield* sql`vacuum analyze audit_waiting`
        return (yield* blocksOf(Figures.measure([]))).blocks
      })
      const few = yield* read(1, 2000)
      const many = yield* read(2001, 20_000)
      assert.isBelow(many, few * 1.5)
    })
  )

  it.effect("a call that recovers reads as much of 20,000 lost deliveries as of 2,000", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, id } = yield* Stored.endpoint((yield* Stored.account()).id)
      const deliveries = yield* Deliveries
      const lose = (from: number, to: number) => sql`
        with event as (
          insert into webhook_event (id, account_id, object, type, body, created_at)
          select 'lost-' || n, ${accountId}::uuid, 'event', 'payment_request.paid', '{}', '2026-01-01'
          from generate_series(${from}::integer, ${to}::integer) as n returning id
        )
        insert into delivery (id, account_id, event_id, event_type, endpoint_id, url, status,
          attempt_count, max_attempts, created_at)
        select gen_random_uuid(), ${accountId}::uuid, event.id, 'payment_request.paid', ${id}::uuid,
          'https://merchant.example', 'failed', 1, 10, '2026-01-01'
        from event`
      const recovery = {
        accountId,
        endpointId: id,
        since: DateTime.makeUnsafe("2025-01-01T00:00:00Z"),
        until: DateTime.makeUnsafe("2027-01-01T00:00:00Z"),
        statuses: ["failed"]
      } as const
      const read = Effect.fnUntraced(function* (after?: Page.Position) {
        yield* sql`analyze delivery`
        const request = after === undefined ? {} : { after }
        return yield* blocksOf(deliveries.recoverable(recovery, { limit: maxRows, ...request }))
      })
      yield* lose(1, 2000)
      const few = yield* read()
      yield* lose(2001, 20_000)
      const [first, second] = [yield* read(), yield* read(few.found.next)]
      for (const { blocks, found } of [few, first, second]) {
        assert.lengthOf(found.rows, maxRows)
        assert.isDefined(found.next)
        assert.isBelow(blocks, few.blocks * 2)
      }
      // Some blocks for each row, to see what else its event came to.
      assert.isBelow(few.blocks, 20 * maxRows)
    })
  )

  it.effect("an event that was replayed 6,000 times is recovered and listed by the page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accountId, id } = yield* Stored.endpoint((yield* Stored.account()).id)
      const [event, later] = [yield* Stored.event(accountId), yield* Stored.event(accountId)]
      const deliveries = yield* Deliveries
      // Half of them of another event, and all later: neither order of the account helps.
      const replay = (from: number, to: number) => sql`
        insert into delivery (id, account_id, event_id, event_type, endpoint_id, url, status,
          attempt_count, max_attempts, created_at)
        select gen_random_uuid(), ${accountId}::uuid, event_id, 'payment_request.paid', ${id}::uuid,
          'https://merchant.example', 'failed', 10, 10, day::timestamptz + n * interval '1 second'
        from generate_series(${from}::integer, ${to}::integer) as n,
          (values (${event.id}, '2026-01-01'), (${later.id}, '2026-06-01')) of_event (event_id, day)`
      const recovery = {
        accountId,
        endpointId: id,
        since: DateTime.makeUnsafe("2025-01-01T00:00:00Z"),
        until: DateTime.makeUnsafe("2027-01-01T00:00:00Z"),
        statuses: ["failed"]
      } as const
      const first = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
      const read = Effect.fnUntraced(function* (count: number) {
        yield* sql`analyze delivery`
        const createdAt = DateTime.add(first, { seconds: count - maxRows - 5 })
        const after = { createdAt, id: "" }
        const recovered = yield* blocksOf(
          deliveries.recoverable(recovery, { limit: maxRows, after })
        )
        const filter = { eventId: event.id }
        const listed = yield* blocksOf(deliveries.list(accountId, filter, { limit: 100 }))
        assert.lengthOf(recovered.found.rows, 0)
        assert.isDefined(recovered.found.next)
        assert.lengthOf(listed.found.rows, 100)
        return { recovered: recovered.blocks, listed: listed.blocks }
      })
      yield* replay(1, 6000)
      const { recovered, listed } = yield* read(6000)
      // A block or so for each row that is looked at, and none for those that are not.
      assert.isBelow(recovered, 3 * maxRows)
      assert.isBelow(listed, 500)
    })
  )

  it.effect("old answers are forgotten without reading those that are kept for ever", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* Stored.account()
      const answered = (operation: string, from: number, to: number) => sql`
        insert into idempotency_key (of_call, account_id, operation, fingerprint, lease_owner, reserved_at,
          lease_ends_at, answer)
        select gen_random_uuid(), ${id}::uuid, ${operation}, 'print', 'owner', '2026-01-01', '2026-01-01', '{}'
        from generate_series(${from}::integer, ${to}::integer) as n`
      const idempotency = yield* Idempotency
      const forget = idempotency.forget(Rows.at(0), ["propose_transfer"], maxRows)
      const round = Effect.fnUntraced(function* (from: number, to: number) {
        yield* answered("propose_transfer", from, to)
        yield* answered("create_payment_request", 1, 300)
        yield* sql`analyze idempotency_key`
        const { blocks, found } = yield* blocksOf(forget)
        assert.strictEqual(found, 300)
        return blocks
      })
      const few = yield* round(1, 1000)
      const many = yield* round(1001, 20_000)
      assert.isBelow(many, few * 2)
      const [row] = yield* sql<{ readonly rows: number }>`
        select count(*)::integer as rows from idempotency_key`
      assert.strictEqual(row?.rows, 20_000)
    })
  )

  it.effect("the longest overdue are found without reading all that are overdue", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const chainId = Rows.aChainId()
      const vault = yield* Stored.vault({ chainId })
      const { overdue } = yield* PaymentRequests
      const find = blocksOf(overdue([{ chainId, finalTime: Rows.at(0) }], 100))
      const crowd = (count: number) => sql`
        insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address,
          amount_micro, received_micro, status, settlement_issue, said, expires_at, created_at,
          updated_at)
        select gen_random_uuid(), 'pr_' || replace(gen_random_uuid()::text, '-', ''),
          ${vault.accountId}::uuid, ${vault.id}::uuid, ${chainId}, '\\x0201', 1, 0, 'open', 'none', '\\x007b7d',
          '2026-01-01'::timestamptz, '2025-12-01'::timestamptz, now()
        from generate_series(1, ${count}::integer)`
      yield* crowd(1000)
      yield* sql`analyze payment_request`
      const few = yield* find
      yield* crowd(19_000)
      yield* sql`analyze payment_request`
      const many = yield* find
      assert.lengthOf(few.found, 100)
      assert.lengthOf(many.found, 100)
      assert.isBelow(many.blocks, few.blocks * 3)
    })
  )
})
