/**
 * What a paid request leaves behind in the database, made by the product's own calls: a customer's vault, a checkout
 * session, its payment, two events with their deliveries, and the audit log; what as many more add once the first were
 * vacuumed; then the same once all that is kept for a time is past its age. Autovacuum is off: it comes by the minute,
 * which is more than once or not at all in a run, so here all that is dead counts until it is vacuumed.
 *
 *     node bench/bytes.ts 2000
 */
import { DateTime, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ChainScript } from "../adapters/memory/chains.ts"
import { sequence } from "../core/audit/sequence.ts"
import { Idempotency } from "../core/operation/idempotency-store.ts"
import { provision } from "../core/payments/provision.ts"
import { Provisioning } from "../core/payments/provisioning-store.ts"
import { watchOnce } from "../core/payments/watch.ts"
import { Chains } from "../core/ports/chains.ts"
import { Deliveries, Events } from "../core/webhooks/delivery-store.ts"
import * as Accounts from "../test/support/accounts.ts"
import * as DeliveryQueue from "../test/support/delivery-queue.ts"
import * as PostgresServer from "../test/support/postgres-server.ts"
import { runOn } from "./database.ts"
import * as Ports from "./scale/ports.ts"

const count = Number(process.argv[2] ?? 2000)

/** Most bytes of a paid request: as they stand, and once everything that is kept for a time is past its age. */
const maxStanding = 9000
const maxKept = 4000

/** So many customers are provisioned, and pay, before the workers' turn. */
const atOnce = 100

const maxRows = 1000

/** By table and part: its rows, what of them is kept apart, and each index. */
const sizes = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly name: string; readonly part: string; readonly bytes: number }>`
      with of as (
        select oid, relname, reltoastrelid from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace
      )
      select relname as name, 'rows' as part, pg_table_size(oid)::float8 as bytes from of
      union all
      select relname, indexrelid::regclass::text, pg_relation_size(indexrelid)::float8
      from of join pg_index on indrelid = of.oid`
  ),
  (rows) => new Map(rows.map(({ bytes, name, part }) => [`${name}.${part}`, bytes]))
)

const compacted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set statement_timeout = 0`
  yield* sql`vacuum full`
  return yield* sizes
})

/** What is dead is free for what comes, as autovacuum leaves it. */
const swept = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set statement_timeout = 0`
  yield* sql`vacuum`
  return yield* sizes
})

const deliverAll = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  for (;;) {
    const now = yield* DateTime.now
    const bounds = { held: [], most: 50, part: 1, maxPerEndpoint: 64, maxWhileFailing: 1 }
    const taken = yield* deliveries.claim({ ...bounds, now, leaseMs: 60_000 })
    if (taken.length === 0) return
    for (const each of taken) yield* DeliveryQueue.concludeAsDelivered(each)
    yield* deliveries.release(DeliveryQueue.heldBy(taken))
  }
})

/** A hundred customers, each of whom pays once. */
const paid = Effect.fnUntraced(function* (
  { accountId, call }: Effect.Success<ReturnType<typeof Accounts.opened>>,
  from: number
) {
  const script = yield* ChainScript
  const [local] = (yield* Chains).connected
  if (local === undefined) return yield* Effect.die(new Error("No chain is connected."))
  const customers = Array.from({ length: atOnce }, (_, at) => ({ externalId: `user-${from + at}` }))
  const { jobId } = yield* call.create_provisioning_job({ chainId: local.chain.id, customers })
  yield* provision(jobId)
  for (const customer of customers) {
    const { payToAddress } = yield* call.create_checkout_session(
      { customer, amountUsd: 49, product: { slug: "pro", name: "Pro plan", externalSkuId: "PRO" } },
      { idempotencyKey: `order-${customer.externalId}` }
    )
    yield* script.pay({ to: payToAddress, amountMicro: 49_000_000n })
  }
  yield* watchOnce(local)
  yield* script.mine(100)
  yield* watchOnce(local)
  yield* deliverAll
  yield* sequence(accountId)
})

/** As its chores do, of whatever age. */
const forgetAll = Effect.gen(function* () {
  const later = DateTime.add(yield* DateTime.now, { days: 1 })
  const [deliveries, events] = [yield* Deliveries, yield* Events]
  const [provisioning, idempotency] = [yield* Provisioning, yield* Idempotency]
  const chores = [
    deliveries.forget(later, maxRows),
    events.forget(later, maxRows),
    provisioning.forget(later, maxRows),
    idempotency.forget(later, [], maxRows)
  ]
  for (const chore of chores) yield* Effect.repeat(chore, { while: (rows) => rows > 0 })
})

type Grown = ReadonlyArray<readonly [part: string, bytes: number]>

const sumOf = (grown: Grown) => grown.reduce((sum, [, bytes]) => sum + bytes, 0)

const told = (
  title: string,
  from: Map<string, number>,
  to: Map<string, number>,
  { max, requests = count }: { readonly max?: number; readonly requests?: number } = {}
) => {
  const grown = [...to].map(
    ([name, bytes]) => [name, (bytes - (from.get(name) ?? 0)) / requests] as const
  )
  const isMet = max === undefined || sumOf(grown) <= max
  const verdict = max === undefined ? "" : `, at most ${max}: ${isMet ? "met" : "missed"}`
  console.log(`${title}: ${sumOf(grown).toFixed(0)} bytes a paid request${verdict}`)
  if (!isMet) process.exitCode = 1
  const tables = Map.groupBy(grown, ([name]) => name.slice(0, name.indexOf(".")))
  const largest = [...tables].toSorted(([, one], [, other]) => sumOf(other) - sumOf(one))
  for (const [table, parts] of largest) {
    if (sumOf(parts) < 10) continue
    const each = parts
      .filter(([, bytes]) => bytes >= 10)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, bytes]) => `${name.slice(table.length + 1)} ${bytes.toFixed(0)}`)
    console.log(`  ${table} ${sumOf(parts).toFixed(0)}: ${each.join(", ")}`)
  }
}

const all = Effect.gen(function* () {
  const shop = yield* Accounts.opened()
  yield* shop.call.create_merchant_webhook({ url: "https://shop.example.com/hook" })
  const [local] = (yield* Chains).connected
  if (local !== undefined) yield* watchOnce(local)
  const before = yield* sizes
  for (let from = 0; from < count; from += atOnce) yield* paid(shop, from)
  told("as it stands", before, yield* sizes, { max: maxStanding })
  const vacuumed = yield* swept
  for (let from = 0; from < count; from += atOnce) yield* paid(shop, count + from)
  told("as many more, as they stand", vacuumed, yield* sizes, { max: maxStanding })
  told("compacted", before, yield* compacted, { requests: 2 * count })
  yield* forgetAll
  told("past its age, compacted", before, yield* compacted, { max: maxKept, requests: 2 * count })
  const { payment_requests } = yield* shop.call.list_payment_requests({ status: "paid" })
  console.log(`the newest of ${count}: ${payment_requests.length} of a page are paid`)
})

const server = await PostgresServer.start({ settings: ["autovacuum=off"] })
try {
  await runOn(
    server.url("postgres"),
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create database bursar template template0`)
  )
  await Effect.runPromise(
    Effect.scoped(Effect.provide(all, Ports.onPostgres(server.url("bursar"))))
  )
} finally {
  await server.stop()
}
process.exit()
