/** Fills a database: one account with so many of everything, ten thousand accounts beside it. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { copy, functions, unguarded } from "./copies.ts"
import { beside, customers } from "./customers.ts"
import { payments, webhooks } from "./payments.ts"
import { proposals } from "./proposals.ts"
import { governing, records } from "./records.ts"
import type { Templates } from "./templates.ts"

/** What has no row to be copied, or is kept by what was off. */
const byHand = Effect.fnUntraced(function* (accountId: string, rows: number) {
  const sql = yield* SqlClient.SqlClient
  const of = sql`(select n, ${rows}::bigint as rows from generate_series(1::bigint, ${rows}::bigint) n) of`
  yield* sql`insert into delivery_attempt (delivery_id, n, at, trigger, duration_ms, response_status)
    select scale_id('delivery', n, rows), 1, scale_at(n, rows), 'scheduled', 35, 200 from ${of}`
  yield* sql`insert into spend_day (account_id, day, amount_micro)
    select account_id, day, sum(amount_micro) from spend_reservation where state <> 'released'
    group by account_id, day
    on conflict (account_id, day) do update set amount_micro = excluded.amount_micro`
  yield* sql`insert into task (id, queue_name, element, attempts, created_at, updated_at, state, visible_at)
    select 'send_mail:' || n, 'tasks', '{"kind":"send_mail","row":"' || n || '"}', 1, scale_at(n, rows),
      now(), 'completed', scale_at(n, rows) from ${of}`
  yield* sql`insert into passkey_challenge (id, purpose, nonce, browser_id, created_at, expires_at)
    select 'challenge-' || n, 'login', left(md5(n::text) || md5(n::text), 43),
      md5(n::text) || md5(n::text), now(), now() + interval '5 minutes' from ${of}`
  yield* sql`insert into payment_claim (chain_id, tx_hash, payer_address, request_id, account_id, claimed_at)
    select 'local', scale_hex('paid', n, 64), scale_hex('payer', n % 5000, 40), scale_id('request', n, rows),
      ${accountId}::uuid, now() from ${of}`
})

/** Places follow those that the product gave; hashes are of nothing, and as many as there would be. */
const placed = Effect.fnUntraced(function* (accountId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from audit_waiting where account_id = ${accountId}`
  // One at a time, as entries come that are minutes apart.
  yield* sql`insert into audit_place (account_id, "first", "second", entry_ids)
    select account_id, (
        select coalesce(sum(cardinality(entry_ids)), 0) from audit_place where account_id = ${accountId}
      ) - 1 + row_number() over (order by created_at, id), date_trunc('second', created_at, 'UTC'), array[id]
    from audit_entry entry where account_id = ${accountId}
      and id not in (select unnest(entry_ids) from audit_place where account_id = ${accountId})`
  yield* sql`with hash as (
      select sum(length(hashes)) / 32 as known from audit_node where account_id = ${accountId}
    ), tree as (
      select sum(size >> level) as nodes
      from (
        select sum(cardinality(entry_ids)) as size from audit_place where account_id = ${accountId}
      ) log,
        generate_series(0, 40) level
    )
    insert into audit_node (account_id, "first", hashes)
    select ${accountId}::uuid, first, string_agg(sha256(at::text::bytea), '' order by at)
    from hash, tree, generate_series(known::bigint, nodes::bigint - 1, 32) first,
      lateral generate_series(first, least(first + 31, nodes::bigint - 1)) at
    group by first`
  yield* sql`update audit_tree set tree_size =
    (select sum(cardinality(entry_ids)) from audit_place where account_id = ${accountId})
    where account_id = ${accountId}`
})

/** Does work without the indexes that hold nothing together, and makes them again: that takes a fraction of the time. */
const unindexed = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<unknown, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const indexes = yield* sql<{ readonly name: string; readonly definition: string }>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint where conindid = indexrelid)`
  for (const { name } of indexes) yield* sql.unsafe(`drop index ${name}`)
  yield* work
  for (const { definition } of indexes) yield* unguarded(sql.unsafe(definition))
})

export const fill = Effect.fnUntraced(function* (own: Templates, rows: number) {
  const sql = yield* SqlClient.SqlClient
  for (const statement of functions) yield* sql.unsafe(statement)
  const { accountId } = own.caller
  const parts = [customers, payments, webhooks, proposals, governing, records, beside]
  const filling = Effect.forEach(parts, (part) =>
    Effect.forEach(part(own), (copies) => copy(rows, "table" in copies ? [copies] : copies))
  )
  const rest = unguarded(Effect.andThen(byHand(accountId, rows), placed(accountId)))
  yield* unindexed(Effect.andThen(filling, rest))
  yield* sql`set statement_timeout = 0`
  yield* sql`vacuum (analyze)`
  yield* sql`set statement_timeout = '15s'`
})
