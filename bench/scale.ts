/**
 * How the cost of a call grows with the data: blocks that PostgreSQL reads for one call of the biggest account,
 * in databases of two sizes. Blocks depend on no machine and no load.
 *
 *     npm run bench -- scale 10000 100000
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { authenticate } from "../core/accounts/authenticate.ts"
import { type Calls, callsOf, type Needs } from "../core/treasury/treasury.ts"
import * as Database from "./database.ts"
import * as Ports from "./ports.ts"
import { seedAccounts } from "./servers/seeding.ts"

type Call = (calls: Calls, vaultId: string) => Effect.Effect<unknown, unknown, Needs>

const operations: Readonly<Record<string, Call>> = {
  list_wallets: (calls) => calls.list_wallets({}),
  list_payment_requests: (calls) => calls.list_payment_requests({}),
  "list_payment_requests, status=processing": (calls) =>
    calls.list_payment_requests({ status: "processing" }),
  get_policy_limits: (calls) => calls.get_policy_limits({}),
  create_payment_request: (calls, walletMappingId) =>
    calls.create_payment_request({ walletMappingId, amountUsd: 49 }),
  create_checkout_session: (calls) =>
    calls.create_checkout_session({ customer: { externalId: "customer_3" }, amountUsd: 49 })
}

/** How often each is called; the mean is told. */
const calls = 20

/** Most a call may read, however many rows there are. */
const most = 200

/** So many customers, each with a vault, a request, its transfer, audit entry and event. */
const fill = (accountId: string, rows: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const parts = Array.from({ length: Math.ceil(rows / 5000) }, (_, at) => at * 5000)
    const until = (from: number) => Math.min(rows, from + 5000)
    const of = (from: number) =>
      sql`generate_series(${from + 1}::integer, ${until(from)}::integer) n`
    for (const from of parts) {
      yield* sql`insert into wallet (id, account_id, name, address, chain_id, is_default, metadata, kind,
          namespace, external_id, key_backend, key_ref, is_recoverable, created_at)
        select 'wallet-' || n, ${accountId}, 'Customer', '0x' || lpad(to_hex(n), 40, '0'), 'local', false,
          '{"tier":"gold"}', 'collection', 'scale', 'customer-' || n, 'seed', 'ref-' || n, true,
          now() - n * interval '1 second' from ${of(from)}`
      yield* sql`insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address,
          amount_micro, received_micro, status, settlement_issue, metadata, checkout_session_id,
          expires_at, created_at, updated_at)
        select 'request-' || n, 'pr_' || md5(n::text), ${accountId}, 'wallet-' || n, 'local',
          '0x' || lpad(to_hex(n), 40, '0'), 1000000 + n,  0,
          case when n <= 20 then 'processing' when n % 3 = 0 then 'expired' else 'open' end, 'none',
          '{}', 'cs_' || md5(n::text), now() + interval '9 days', now() - n * interval '1 second', now()
        from ${of(from)}`
      yield* sql`insert into audit_entry (id, account_id, action, actor, actor_type, actor_role,
          subject_type, subject_id, facts, created_at)
        select gen_random_uuid()::text, ${accountId}, 'payment_request.created', 'scale', 'key', 'owner',
          'payment_request', 'request-' || n, '{}', now() - n * interval '1 second' from ${of(from)}`
      yield* sql`insert into webhook_version (account_id, pid, last)
        select ${accountId}, 'pr_' || md5(n::text), 1 from ${of(from)}`
      yield* sql`insert into webhook_event (id, account_id, type, pid, version, body, created_at)
        select 'evt_' || md5(n::text), ${accountId}, 'payment_request.created', 'pr_' || md5(n::text), 1,
          '{}', now() - n * interval '1 second' from ${of(from)}`
    }
    yield* sql`vacuum analyze`
  })

const total = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What the only session has counted is handed in when it is next idle.
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly blocks: number }>`
    select sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0)
      + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
      + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0))::float8 as blocks
    from pg_statio_user_tables`
  return row?.blocks ?? 0
})

const measured = Effect.fnUntraced(function* (call: Effect.Effect<unknown, unknown, Needs>) {
  // The first of a session reads the catalogue and plans.
  yield* call
  const before = yield* total
  for (let count = 0; count < calls; count++) yield* call
  return ((yield* total) - before) / calls
})

const atSize = async (rows: number) => {
  const database = await Database.open()
  try {
    return await Effect.runPromise(
      Effect.gen(function* () {
        const { apiKey, vaultId } = yield* seedAccounts
        const caller = yield* authenticate(apiKey)
        yield* fill(caller.accountId, rows)
        const own = callsOf(caller)
        return yield* Effect.forEach(Object.entries(operations), ([name, call]) =>
          Effect.map(measured(call(own, vaultId)), (blocks) => ({ name, blocks }))
        )
      }).pipe(Effect.provide(Ports.onPostgres(database.url, { connections: 2 })))
    )
  } finally {
    await database.stop()
  }
}

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0)
const [small = 10_000, large = 100_000] = sizes

/** Prints a table; the exponent is that of blocks from one size to the other. */
export const main = async () => {
  const few = await atSize(small)
  const many = await atSize(large)
  const lines = few.map(({ blocks, name }, at) => {
    const later = many[at]?.blocks ?? Number.NaN
    const exponent = Math.log(later / blocks) / Math.log(large / small)
    const verdict = later <= most && exponent < 0.2 ? "met" : "**missed**"
    return `| ${name} | ${blocks.toFixed(0)} | ${later.toFixed(0)} | ${exponent.toFixed(2)} | ${verdict} |`
  })
  console.log(`| blocks of a call | ${small} rows | ${large} rows | exponent | ≤ ${most}, < 0.2 |`)
  console.log(["| --- | --- | --- | --- | --- |", ...lines].join("\n"))
}

if (import.meta.main) await main()
