/**
 * How long each list of the console takes to open in an account of ten rows and in one of 100,000, side by side in one
 * database on PostgreSQL, over HTTP as a browser asks. It fails where the larger one takes more than twice as long, or
 * where the larger one's overview takes longer than a tenth of a second.
 *
 *     node bench/console-lists.ts 10 100000
 */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as SqlClient from "effect/sql/SqlClient"
import { surfaces } from "../apps/server/wiring.ts"
import { openAccount } from "../core/accounts/open.ts"
import { issueEnrolment } from "../core/humans/issue-enrolment.ts"
import { Atomically } from "../core/ports/atomically.ts"
import { Visitor } from "../test/support/console-visitor.ts"
import * as Database from "./database.ts"
import * as LocalChain from "./local-chain.ts"
import { spreadOf } from "./measure.ts"
import * as Ports from "./ports.ts"

const siteUrl = "https://treasury.example"

/** The overview reads a little of everything; each other page is one list. */
const pages = [
  "",
  "/payments",
  "/payments?status=open",
  "/deposits",
  "/wallets?kind=collection",
  "/wallets?kind=standard",
  "/recipients",
  "/proposals",
  "/proposals?status=completed",
  "/keys",
  "/webhooks",
  "/deliveries",
  "/deliveries?status=failed",
  "/events",
  "/audit",
  "/governance",
  "/new/propose_transfer",
  "/new/create_payment_request"
]

const repeats = Number(process.env.BENCH_ROUNDS ?? 15)
const maxRatio = 2
const maxOverviewMs = 100

/** Rows of a table as one statement, of which each has a number `n`; ids follow from the account, the kind and it. */
type Fill = (
  sql: SqlClient.SqlClient,
  accountId: string,
  rows: number
) => Effect.Effect<unknown, unknown>

const of = (sql: SqlClient.SqlClient, rows: number) =>
  sql`generate_series(1::integer, ${rows}::integer) n`

const places: Fill = (sql, accountId, rows) =>
  Effect.andThen(
    sql`insert into wallet (id, account_id, name, address, chain_id, is_default, metadata, kind,
        namespace, external_id, key_backend, key_ref, is_recoverable, created_at)
      select numbered(${accountId}, 'v', n), ${accountId}::uuid, 'Customer ' || n,
        '0x' || substr(md5(${accountId} || 'v' || n), 1, 32) || '00000000', 'local', false,
        '{"tier":"gold"}', 'collection', 'shop', 'customer-' || n, 'seed', ${accountId} || 'v' || n,
        true, now() - n * interval '1 second' from ${of(sql, rows)}`,
    Effect.andThen(
      sql`insert into wallet (id, account_id, name, address, chain_id, is_default, metadata, kind,
          key_backend, key_ref, is_recoverable, created_at)
        select numbered(${accountId}, 'w', n), ${accountId}::uuid, 'Wallet ' || n,
          '0x' || substr(md5(${accountId} || 'w' || n), 1, 32) || '00000000', 'local', n = 1,
          '{}', 'standard', 'seed', ${accountId} || 'w' || n, true,
          now() - n * interval '1 second' from ${of(sql, rows)}`,
      sql`insert into recipient (id, account_id, label, address, chain_id, status, cooldown_ends_at,
          is_own, created_at)
        select numbered(${accountId}, 'r', n), ${accountId}::uuid, 'Supplier ' || n,
          '0x' || substr(md5(${accountId} || 'r' || n), 1, 32) || '00000000', 'local', 'approved', now(),
          false, now() - n * interval '1 second' from ${of(sql, rows)}`
    )
  )

const money: Fill = (sql, accountId, rows) =>
  Effect.andThen(
    sql`insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address,
        amount_micro, received_micro, status, settlement_issue, said, expires_at, created_at, updated_at)
      select numbered(${accountId}, 'p', n), 'pr_' || md5(${accountId} || n), ${accountId}::uuid,
        numbered(${accountId}, 'v', n), 'local', '\\x02'::bytea || int4send(n), 1000000 + n, 0,
        case when n % 3 = 0 then 'expired' else 'open' end, 'none', '\\x007b7d',
        now() + interval '9 days', now() - n * interval '1 second', now() from ${of(sql, rows)}`,
    sql`insert into transfer (id, account_id, vault_id, chain_id, tx_hash, log_index, block_number,
        block_hash, block_time, payer_address, amount_micro, state, seen_at, final_at, method,
        settlement_issue, candidate_pids)
      select numbered(${accountId}, 't', n), ${accountId}::uuid, numbered(${accountId}, 'v', n), 'local',
        '\\x02'::bytea || decode(md5(${accountId} || n) || md5('t' || n), 'hex'), 0, n, '\\x02'::bytea || sha256(n::text::bytea), now(),
        '\\x02'::bytea || int4send(n), 1000000 + n, 'final', now() - n * interval '1 second', now(),
        'direct', 'late', '{}' from ${of(sql, rows)}`
  )

const proposals: Fill = (sql, accountId, rows) =>
  Effect.andThen(
    sql`insert into proposal (id, account_id, kind, status, terms, intent_hash, policy_revision, summary,
        proposed_by, tx_hashes, created_at, updated_at, takes_passkey, expires_at, outcome)
      select numbered(${accountId}, 'q', n), ${accountId}::uuid, 'rename_account',
        case when n % 2 = 0 then 'completed' else 'cancelled' end,
        jsonb_build_object('walletId', numbered(${accountId}, 'w', 1), 'nickname', 'Till ' || n),
        md5('i' || n) || md5('j' || n), 1, 'Rename a wallet to Till ' || n, 'key', '{}',
        now() - n * interval '1 second', now(), false, now() + interval '1 day',
        case when n % 2 = 0 then 'executed' else 'not_executed' end from ${of(sql, rows)}`,
    sql`insert into governance_request (id, account_id, action, payload, payload_hash, summary,
        requested_by, status, created_at, expires_at)
      select numbered(${accountId}, 'g', n), ${accountId}::uuid, 'approve_recipient',
        jsonb_build_object('recipientId', numbered(${accountId}, 'r', n)), md5('g' || n) || md5('h' || n),
        'End the cooldown of Supplier ' || n, 'key', 'pending', now() - n * interval '1 second',
        now() + interval '7 days' from ${of(sql, rows)}`
  )

const deliveries: Fill = (sql, accountId, rows) =>
  Effect.andThen(
    sql`insert into webhook_endpoint (id, account_id, url, events, notices, max_attempts, standard_headers,
        sealed_secret, created_at, updated_at)
      values (numbered(${accountId}, 'e', 1), ${accountId}::uuid, 'https://shop.example/hook',
        '{payment_request.paid}', '{}', 5, false, 'x', now(), now())`,
    Effect.andThen(
      sql`insert into webhook_event (id, account_id, object, type, body, created_at)
        select 'evt_' || md5(${accountId} || n), ${accountId}::uuid, 'event', 'payment_request.paid', decode('007b7d', 'hex'),
          now() - n * interval '1 second' from ${of(sql, rows)}`,
      sql`insert into delivery (id, account_id, event_id, event_type, endpoint_id, url, status,
          attempt_count, max_attempts, created_at, delivered_at)
        select numbered(${accountId}, 'd', n), ${accountId}::uuid, 'evt_' || md5(${accountId} || n),
          'payment_request.paid', numbered(${accountId}, 'e', 1), 'https://shop.example/hook',
          case when n % 5 = 0 then 'failed' else 'delivered' end, 1, 5,
          now() - n * interval '1 second', now() from ${of(sql, rows)}`
    )
  )

const records: Fill = (sql, accountId, rows) =>
  Effect.andThen(
    sql`insert into audit_entry (id, account_id, action, actor, subject, told, created_at)
      select gen_random_uuid(), ${accountId}::uuid, '\\x00'::bytea || 'payment_request.created'::bytea, '\\x10'::bytea,
        '\\x01'::bytea || uuid_send(numbered(${accountId}, 'p', n)), '\\x101525'::bytea, now() - n * interval '1 second'
      from ${of(sql, rows)}`,
    sql`insert into api_key (id, account_id, digest, kind, prefix, last_four, scopes, created_at)
      select numbered(${accountId}, 'k', n), ${accountId}::uuid, md5(${accountId} || n), 'developer', 'svc_hu_',
        'abcd', '{account:read}', now() - n * interval '1 second' from ${of(sql, rows)}`
  )

const fill = Effect.fnUntraced(function* (accountId: string, rows: number) {
  const sql = yield* SqlClient.SqlClient
  // What stands guard over single writes is not what is measured.
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`set local statement_timeout = 0`
      yield* sql`create or replace function numbered(account text, kind text, n integer) returns uuid
        language sql immutable return md5(account || kind || n)::uuid`
      for (const part of [places, money, proposals, deliveries, records]) {
        yield* part(sql, accountId, rows)
      }
      yield* sql`analyze`
    })
  )
})

const signedIn = Effect.fnUntraced(function* (origin: string, rows: number) {
  const opened = { name: `Shop of ${rows}`, kind: "developer", tier: "startup" } as const
  const { id: accountId } = yield* openAccount(opened)
  const wanted = { accountId, purpose: "operator", name: "Ada", hours: 1 } as const
  const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  const visitor = new Visitor(origin, siteUrl)
  const { status } = yield* visitor.enrol(url)
  if (status !== 200) return yield* Effect.die(new Error(`Enrolling answered ${status}.`))
  yield* fill(accountId, rows)
  return visitor
})

const opensInMs = (origin: string, { cookie }: Visitor, path: string) =>
  Effect.promise(async () => {
    const startedAt = performance.now()
    const answer = await fetch(`${origin}/console${path}`, { headers: cookie })
    const text = await answer.text()
    if (answer.status !== 200 || text.includes("Nothing here")) {
      throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`)
    }
    return performance.now() - startedAt
  })

const measured = Effect.fnUntraced(function* (small: number, large: number) {
  const server = Context.get(yield* Effect.context<HttpServer.HttpServer>(), HttpServer.HttpServer)
  const origin = NetAddress.formatUrlUnsafe(server.address)
  const [few, many] = [yield* signedIn(origin, small), yield* signedIn(origin, large)]
  return yield* Effect.forEach(pages, (path) =>
    Effect.gen(function* () {
      const taken: { few: Array<number>; many: Array<number> } = { few: [], many: [] }
      for (let turn = 0; turn <= repeats; turn++) {
        const [one, other] = [
          yield* opensInMs(origin, few, path),
          yield* opensInMs(origin, many, path)
        ]
        // The first look plans and warms.
        if (turn === 0) continue
        taken.few.push(one)
        taken.many.push(other)
      }
      return { path, few: spreadOf(taken.few).median, many: spreadOf(taken.many).median }
    })
  )
})

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0)
const [small = 10, large = 100_000] = sizes

/** The overview asks a chain what wallets hold; nothing lies on this one. */
const onChain = Effect.fnUntraced(function* (url: string) {
  const { connection } = yield* LocalChain.pay([`0x${"aa".repeat(20)}`], 1n, 1)
  const ports = yield* Layer.build(
    surfaces({ port: 0, host: "127.0.0.1", corsOrigins: [] }).pipe(
      Layer.provideMerge(Ports.onPostgres(url, { siteUrl, chains: [connection] }))
    )
  )
  return yield* Effect.provide(measured(small, large), ports)
})

const database = await Database.open()
try {
  const rows = await Effect.runPromise(Effect.scoped(onChain(database.url)))
  console.log(
    `| page | ms at ${small} rows | ms at ${large} rows | ratio |\n| --- | --- | --- | --- |`
  )
  for (const { few, many, path } of rows) {
    const ratio = many / few
    const isSlow = ratio > maxRatio || (path === "" && many > maxOverviewMs)
    const verdict = isSlow ? " **too slow**" : ""
    console.log(
      `| /console${path} | ${few.toFixed(1)} | ${many.toFixed(1)} | ${ratio.toFixed(2)}${verdict} |`
    )
    if (isSlow) process.exitCode = 1
  }
} finally {
  await database.stop()
}
