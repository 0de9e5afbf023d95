/** Thousands of deliveries that become due at one commit, and how many of them are not recorded yet. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Packed from "../adapters/postgres/packed.ts"
import { Atomically } from "../core/ports/atomically.ts"
import { Notifier } from "../core/ports/notifier.ts"
import type { Endpoint } from "../core/webhooks/endpoint.ts"
import * as Queue from "./queue.ts"

let piles = 0

/** Writes events of a usual size and their deliveries, to the endpoints in turn. */
export const pile = Effect.fnUntraced(function* (to: ReadonlyArray<Endpoint>, count: number) {
  const sql = yield* SqlClient.SqlClient
  const prefix = `evt_pile${process.pid}x${++piles}x`
  const { accountId = "" } = to[0] ?? {}
  const endpointIds = to.map(({ id }) => id)
  const urls = to.map(({ url }) => url)
  const body = Packed.pack(Queue.bodyOf(prefix))
  const atomically = yield* Atomically
  yield* atomically.run(
    Effect.gen(function* () {
      yield* sql`
        insert into webhook_event (id, account_id, object, type, body, created_at)
        select ${prefix} || at, ${accountId}::uuid, 'event', 'payment_request.paid', ${body}, now()
        from generate_series(1, ${count}::integer) at`
      yield* sql`
        insert into delivery (id, account_id, event_id, event_type, endpoint_id, url, status,
          attempt_count, max_attempts, next_attempt_at, created_at)
        select gen_random_uuid(), ${accountId}::uuid, ${prefix} || at, 'payment_request.paid',
          (${endpointIds}::uuid[])[1 + at % ${to.length}::integer],
          (${urls}::text[])[1 + at % ${to.length}::integer], 'pending', 0, 10, now(), now()
        from generate_series(1, ${count}::integer) at`
      yield* atomically.afterCommit((yield* Notifier).signal("deliveries"))
    })
  )
})

const rowsLeft = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql.unsafe<{ left: number }>(statement)
  return Number(row?.left)
})

const ours = `select count(*)::integer as left from delivery where status in ('pending', 'retrying')`
const jobs = `select count(*)::integer as left from pgboss.job
  where name = 'deliveries' and state < 'completed'`

/** The median time from the commits of these events to those of their attempts, in milliseconds. */
export const medianMs = Effect.fnUntraced(function* (eventIds: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ median: number }>`
    select percentile_cont(0.5) within group (order by extract(epoch from
      pg_xact_commit_timestamp(attempt.xmin) - pg_xact_commit_timestamp(event.xmin))::float8) as median
    from webhook_event event
    join delivery on delivery.event_id = event.id
    join delivery_attempt attempt on attempt.delivery_id = delivery.id
    where event.id = any(${eventIds}::text[])`
  return 1000 * Number(row?.median)
})

/** Waits until every one is recorded as done. */
export const drained = (of: "ours" | "jobs") =>
  rowsLeft(of === "ours" ? ours : jobs).pipe(
    Effect.tap((left) => (left > 0 ? Effect.sleep(20) : Effect.void)),
    Effect.repeat({ until: (left) => left === 0 }),
    Effect.asVoid
  )
