/** Fills a database: one account with so many of everything, ten thousand accounts beside it. */
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../../../adapters/postgres/server.ts"
import { sequence } from "../../../core/audit/sequence.ts"
import { type Copies, copy, functions, unguarded } from "./copies.ts"
import { beside, customers, solanaVault, solanaVaults } from "./customers.ts"
import { payments, webhooks } from "./payments.ts"
import { beneath, proposals } from "./proposals.ts"
import { governing, records } from "./records.ts"
import type { Templates } from "./templates.ts"

/** Tables that are filled, and indexes that are made, at once. */
const concurrency = 3

/** What has no row to be copied, or is kept by what was off. */
const byHand = Effect.fnUntraced(function* ({ caller }: Templates, rows: number) {
  const { accountId } = caller
  const sql = yield* SqlClient.SqlClient
  const of = sql`(select n, ${rows}::bigint as rows from generate_series(1::bigint, ${rows}::bigint) n) of`
  const statements = [
    sql`insert into delivery_attempt (delivery_id, n, at, trigger, duration_ms, response_status)
      select scale_id('delivery', n, rows), 1, scale_at(n, rows), 'scheduled', 35, 200 from ${of}`,
    sql`insert into spend_day (account_id, day, amount_micro)
      select account_id, day, sum(amount_micro) from spend_reservation where state <> 'released'
      group by account_id, day
      on conflict (account_id, day) do update set amount_micro = excluded.amount_micro`,
    sql`insert into task (id, queue_name, element, attempts, created_at, updated_at, state, visible_at)
      select 'send_mail:' || n, 'tasks', '{"kind":"send_mail","row":"' || n || '"}', 1, scale_at(n, rows),
        now(), 'completed', scale_at(n, rows) from ${of}`,
    sql`insert into passkey_challenge (id, purpose, nonce, browser_id, created_at, expires_at)
      select 'challenge-' || n, 'login', left(md5(n::text) || md5(n::text), 43),
        md5(n::text) || md5(n::text), now(), now() + interval '5 minutes' from ${of}`,
    sql`insert into payment_claim (chain_id, tx_hash, payer_address, request_id, account_id, claimed_at)
      select 'local', scale_hex('paid', n, 64), scale_hex('payer', n % 5000, 40), scale_id('request', n, rows),
        ${accountId}::uuid, now() from ${of}`,
    // As the trigger does that was off: an entry waits, and the product itself gives it its place.
    sql`insert into audit_waiting (account_id, created_at, entry_id)
      select account_id, created_at, id from audit_entry entry where account_id = ${accountId}
        and id not in (select entry_id from audit_waiting where account_id = ${accountId})
        and id not in (select unnest(entry_ids) from audit_place where account_id = ${accountId})
      order by created_at`
  ]
  const under = beneath(caller, rows).map((statement) => sql.unsafe(statement))
  yield* Effect.forEach([...statements, ...under], unguarded, { concurrency, discard: true })
})

/** One in so many waits for a payment. */
const inExpectation = 20

/** So many were paid lately, and their transfers are still followed. */
const followed = 10

/** What looks at a chain keep of its vaults, and transfers that they follow. */
const lookedAt = Effect.fnUntraced(function* ({ depositId }: Templates, rows: number) {
  const sql = yield* SqlClient.SqlClient
  const vault = solanaVault("n", String(rows))
  const statements = [
    sql`insert into settled_balance (vault_id, chain_id, address, block_number, held_micro)
      select id, chain_id, address, 0, 0 from wallet
      where chain_id = 'local-solana' and kind = 'collection' order by id
      on conflict do nothing`,
    sql`insert into expecting_vault (vault_id, chain_id, address, block_number, held_micro, expects_until)
      select id, chain_id, address, 0, 0, now() + interval '7 days' from wallet
      where chain_id = 'local-solana' and kind = 'collection' and hashtext(id::text) % ${inExpectation} = 0
      on conflict do nothing`,
    sql`insert into transfer select made.*
      from transfer t cross join (
        select * from wallet where id = any(array(
          select ${sql.literal(vault)} from generate_series(1::bigint, ${followed}::bigint) n))
      ) w cross join lateral jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(),
        'account_id', w.account_id, 'vault_id', w.id, 'chain_id', w.chain_id, 'request_id', null,
        'tx_hash', '\\x02' || left(md5(w.id::text) || md5(w.id::text), 64))) made
      where t.id = ${depositId}`
  ]
  yield* Effect.forEach(statements, unguarded, { discard: true })
})

const groups = (own: Templates): ReadonlyArray<ReadonlyArray<Copies>> =>
  [customers, payments, webhooks, proposals, governing, records, beside, solanaVaults]
    .flatMap((part): ReadonlyArray<Copies | ReadonlyArray<Copies>> => part(own))
    .map((copies) => ("table" in copies ? [copies] : copies))

/** Does work without the indexes that hold nothing together, and makes them again: that takes a fraction of the time. */
const unindexed = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<unknown, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const indexes = yield* sql<{ readonly name: string; readonly definition: string }>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    where relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by amname = 'gin' desc`
  for (const { name } of indexes) yield* sql.unsafe(`drop index ${name}`)
  yield* work
  yield* Effect.forEach(indexes, ({ definition }) => unguarded(sql.unsafe(definition)), {
    concurrency,
    discard: true
  })
})

/** The same work for as long as it takes. */
const unhurried = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<unknown, E, R>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set statement_timeout = 0`
  yield* work
  yield* sql`set statement_timeout = '15s'`
})

/** Autovacuum is off, and a table that grows has to be known for what it is. */
const growing = Effect.andThen(
  Effect.sleep("2 seconds"),
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`analyze audit_place, audit_node, audit_waiting`)
)

/** Over connections of its own, as what is counted afterwards goes over one. */
export const fill = Effect.fnUntraced(function* (
  url: string,
  own: Templates,
  rows: number,
  say: (text: string) => Effect.Effect<void>
) {
  const sql = yield* SqlClient.SqlClient
  for (const statement of functions) yield* sql.unsafe(statement)
  const filling = Effect.forEach(groups(own), (copies) => copy(rows, copies), {
    concurrency,
    discard: true
  })
  const kept = Effect.andThen(byHand(own, rows), lookedAt(own, rows))
  const rest = Effect.andThen(kept, say("rows written"))
  yield* unindexed(Effect.andThen(filling, rest)).pipe(
    Effect.provide(Server.layer({ url: Redacted.make(url), maxConnections: concurrency }))
  )
  yield* say("indexes made")
  yield* unhurried(sql`vacuum (analyze)`)
  yield* say("vacuumed")
  yield* Effect.raceFirst(sequence(own.caller.accountId), Effect.forever(growing))
  yield* say("audit entries placed")
  yield* unhurried(
    sql`vacuum (analyze) audit_entry, audit_waiting, audit_place, audit_node, audit_tree`
  )
})
