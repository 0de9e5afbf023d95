/** The schema says what it keeps and in which unit, and every filter of a list reads about as much as it answers with. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LeaseClock, ofCaller } from "../../../adapters/postgres/leases.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { Deliveries, Events } from "../../../core/webhooks/delivery-store.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const none = (broken: ReadonlyArray<{ readonly name: string }>) =>
  assert.deepStrictEqual(
    broken.map(({ name }) => name),
    []
  )

/** Many rows of one account in each table, all alike but for the last few. */
const many = 5_000
const few = 5

const shop = Numbered.idOf("account", 1)
const [v1, v2] = [Numbered.idOf("vault", 1), Numbered.idOf("vault", 2)]
const [idle, busy] = [Numbered.idOf("endpoint", 1), Numbered.idOf("endpoint", 2)]

const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const n = `generate_series(1, ${many}) n`
  const id = Numbered.inSql
  const text = (prefix: string) => `'${prefix}' || lpad(n::text, 8, '0')`
  const at = "timestamptz '2027-01-01' + n * interval '1 second'"
  const rare = (value: string, usual: string) =>
    `case when n <= ${few} then '${value}' else '${usual}' end`
  const hash = `repeat('0', 64)`
  const statements = [
    // Rows that refer to nothing: only the lists are looked at.
    "set session_replication_role = replica",
    `insert into account (id, name, kind, tier, livemode, created_at)
      values ('${shop}', 'Shop', 'agent', 'personal', false, now())`,
    `insert into wallet (id, account_id, name, address, chain_id, is_default, metadata, kind,
        key_backend, key_ref, is_recoverable, created_at)
      select ${id("w")}, '${shop}', 'Till', n::text, 'base', false,
        jsonb_build_object(${rare("rare", "usual")}, ${rare("one", "other")}), 'standard', 'seed',
        n::text, true, ${at} from ${n}`,
    `insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address,
        amount_micro, received_micro, status, settlement_issue, said, expires_at, created_at,
        updated_at)
      select ${id("r")}, ${text("p")}, '${shop}', ${rare(v1, v2)}::uuid, 'base', '\\x0201', 1, 0,
        ${rare("processing", "open")}, 'none', '\\x007b7d', ${at}, ${at}, ${at} from ${n}`,
    `insert into transfer (id, account_id, vault_id, chain_id, tx_hash, log_index, block_number,
        block_hash, block_time, payer_address, amount_micro, state, seen_at, method,
        settlement_issue, candidate_pids, resolution)
      select ${id("t")}, '${shop}', ${rare(v1, v2)}::uuid, 'base', '\\x02'::bytea || int4send(n), 0, n, '\\x0201', ${at}, '\\x0202', 1,
        'seen', ${at}, 'direct', 'ambiguous', '{}',
        case when n <= ${few} then null else 'accepted' end from ${n}`,
    `insert into webhook_event (id, account_id, object, type, pid, body, created_at)
      select ${text("e")}, '${shop}', 'event', ${rare("payment_request.expired", "payment_request.paid")}, ${text("p")},
        decode('007b7d', 'hex'), ${at} from ${n}`,
    `insert into delivery (id, account_id, event_id, event_type, endpoint_id, url, status,
        attempt_count, max_attempts, sequence, created_at)
      select ${id("d")}, '${shop}', ${text("e")}, ${rare("payment_request.expired", "payment_request.paid")},
        ${rare(idle, busy)}::uuid, 'https://x.example', ${rare("failed", "delivered")}, 1, 10, n, ${at}
      from ${n}`,
    `insert into proposal (id, account_id, kind, status, terms, intent_hash, policy_revision,
        summary, proposed_by, tx_hashes, created_at, updated_at, takes_passkey, expires_at, outcome)
      select ${id("q")}, '${shop}', ${rare("refund", "send")}, ${rare("failed", "completed")}, '{}', ${hash},
        0, 'Send', 'k', '{}', ${at}, ${at}, false, ${at}, ${rare("not_executed", "executed")}
      from ${n}`,
    "set session_replication_role = origin",
    "analyze"
  ]
  for (const statement of statements) yield* sql.unsafe(statement)
})

const request = { limit: 20 }

const lists: Readonly<
  Record<
    string,
    Effect.Effect<
      { readonly rows: ReadonlyArray<unknown> },
      never,
      Proposals | PaymentRequests | Transfers | Wallets | Deliveries | Events
    >
  >
> = {
  "wallets by the key of a tag": Effect.flatMap(Wallets, ({ list }) =>
    list(shop, { metadataKey: "rare" }, request)
  ),
  "wallets by a tag": Effect.flatMap(Wallets, ({ list }) =>
    list(shop, { metadataKey: "rare", metadataValue: "one" }, request)
  ),
  "payment requests by vault": Effect.flatMap(PaymentRequests, ({ list }) =>
    list(shop, { vaultId: v1 }, request)
  ),
  "payment requests by status": Effect.flatMap(PaymentRequests, ({ list }) =>
    list(shop, { status: "processing" }, request)
  ),
  "deposits by vault": Effect.flatMap(Transfers, ({ deposits }) =>
    deposits(shop, { vaultId: v1 }, request)
  ),
  "deposits that are open": Effect.flatMap(Transfers, ({ deposits }) =>
    deposits(shop, { status: "open" }, request)
  ),
  "events by type": Effect.flatMap(Events, ({ list }) =>
    list(shop, { type: "payment_request.expired" }, request)
  ),
  "deliveries by endpoint": Effect.flatMap(Deliveries, ({ list }) =>
    list(shop, { endpointId: idle }, request)
  ),
  "deliveries by type": Effect.flatMap(Deliveries, ({ list }) =>
    list(shop, { eventType: "payment_request.expired" }, request)
  ),
  "deliveries by status": Effect.flatMap(Deliveries, ({ list }) =>
    list(shop, { status: "failed" }, request)
  ),
  "deliveries by sequence": Effect.flatMap(Deliveries, ({ list }) =>
    list(shop, { sequence: 3 }, request)
  ),
  "proposals by kind": Effect.flatMap(Proposals, ({ list }) =>
    list(shop, { kind: "refund" }, request)
  ),
  "proposals by status": Effect.flatMap(Proposals, ({ list }) =>
    list(shop, { status: "failed" }, request)
  )
}

/** How many rows of all tables this transaction has read, by its own count. */
const readSoFar = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [read] = yield* sql<{ rows: number }>`
    select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::integer as rows
    from pg_stat_xact_user_tables`
  return read?.rows ?? 0
})

/** How many rows of a table an effect updates, and how many of them without touching an index. */
const updatesOf = <A, E, R>(table: string, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const updated = Effect.map(
      sql<{ all: number; hot: number }>`
        select n_tup_upd::integer as all, n_tup_hot_upd::integer as hot
        from pg_stat_xact_user_tables where relname = ${table}`,
      ([row]) => row ?? { all: 0, hot: 0 }
    )
    return sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* updated
        yield* effect
        const after = yield* updated
        return { all: after.all - before.all, hot: after.hot - before.hot }
      })
    )
  })

describe("the schema", () => {
  const engine = Layer.merge(FreshEmbedded.engine, Layer.succeed(LeaseClock, ofCaller))
  it.layer(Layer.orDie(Layer.provideMerge(Stores.layer, engine)))((it) => {
    it.effect("says of every table what it keeps, and of money in which unit", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // The queue of tasks is Effect's, and the list of migrations explains itself.
        none(
          yield* sql<{ name: string }>`select relname as name from pg_class
            where relnamespace = 'public'::regnamespace and relkind = 'r'
              and relname not in ('task', 'task_migrations', 'migration')
              and obj_description(oid, 'pg_class') is null`
        )
        none(
          yield* sql<{ name: string }>`select attrelid::regclass::text || '.' || attname as name
            from pg_attribute join pg_class on pg_class.oid = attrelid
            where relnamespace = 'public'::regnamespace and relkind = 'r' and attname like '%\\_micro'
              and not coalesce(col_description(attrelid, attnum), '') ~ '^Millionths of a USDC?'`
        )
      })
    )

    it.effect("keeps JSON so that it can be looked into", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        none(
          yield* sql<{ name: string }>`select table_name || '.' || column_name as name
            from information_schema.columns where table_schema = 'public' and data_type = 'json'`
        )
      })
    )

    it.effect("plans every table of accounts for a large one", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        none(
          yield* sql<{ name: string }>`select attrelid::regclass::text as name from pg_attribute
            where attname = 'account_id' and attrelid in (
                select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace)
              and attoptions is distinct from '{n_distinct=5}'`
        )
      })
    )

    it.effect("touches no index when leases are extended and submissions are claimed", () =>
      Effect.gen(function* () {
        yield* DeliveryQueue.queued(yield* DeliveryQueue.anEndpoint(), [0])
        yield* DeliveryQueue.queued(yield* DeliveryQueue.anEndpoint(), [0])
        const claiming = DeliveryQueue.claimAt(10)
        assert.deepStrictEqual(yield* updatesOf("webhook_queue", claiming), { all: 2, hot: 2 })
        const endpoints = DeliveryQueue.heldBy(yield* DeliveryQueue.claimAt(41))
        const beat = { now: Rows.at(50), leaseMs: 30_000 }
        const renewing = Effect.flatMap(Deliveries, ({ renew }) =>
          renew({ held: endpoints, ...beat })
        )
        assert.deepStrictEqual(yield* updatesOf("webhook_queue", renewing), { all: 2, hot: 2 })
        yield* SubmissionQueue.queued([0, 0])
        const submitting = SubmissionQueue.claimAt(10)
        assert.deepStrictEqual(yield* updatesOf("submission", submitting), { all: 2, hot: 2 })
        const held = (yield* SubmissionQueue.claimAt(41)).map(({ lease, submission }) => ({
          id: submission.id,
          lease
        }))
        const beating = Effect.flatMap(SubmissionStore, ({ renew }) => renew({ held, ...beat }))
        assert.deepStrictEqual(yield* updatesOf("submission", beating), { all: 2, hot: 2 })
      })
    )

    it.effect("has an index for every filter of a list", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* seeded
        for (const [name, list] of Object.entries(lists)) {
          const { found, read } = yield* sql.withTransaction(
            Effect.gen(function* () {
              const before = yield* readSoFar
              const page = yield* list
              return { found: page.rows.length, read: (yield* readSoFar) - before }
            })
          )
          assert.isAbove(found, 0, name)
          assert.isBelow(read, 100, `${name}: ${read} rows were read to find ${found}`)
        }
      })
    )
  })
})
