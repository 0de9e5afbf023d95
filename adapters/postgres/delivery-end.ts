/**
 * How it is written down what came of attempts. Those that end while others are being written, or soon after, are
 * written together by one statement and one commit; inside a transaction each is written at once.
 */
import { DateTime, Deferred, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import type { Attempt, Delivery } from "../../core/webhooks/delivery.ts"
import type { Deliveries } from "../../core/webhooks/delivery-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Gathering from "./gathering.ts"

interface Ending {
  readonly lease: string
  readonly delivery: Delivery
  readonly attempt: Attempt
  readonly releases: boolean
}

const iso = (at: DateTime.Utc | null) => (at === null ? null : DateTime.formatIso(at))

/** What is written to the delivery, and its attempt under the names of its columns. */
const rowOf = ({ attempt, delivery, lease }: Ending) => ({
  lease,
  status: delivery.status,
  next_attempt_at: iso(delivery.nextAttemptAt),
  last_response_status: delivery.lastResponseStatus,
  last_error: delivery.lastError,
  delivered_at: iso(delivery.deliveredAt),
  n: attempt.n,
  at: iso(attempt.at),
  trigger: attempt.trigger,
  duration_ms: attempt.durationMs,
  response_status: attempt.responseStatus,
  response_body_truncated: attempt.responseBodyTruncated,
  error: attempt.error
})

/**
 * State and attempt in one statement, by the rule of `concluded`: neither is written under a lease of the
 * endpoint that is not current, or when another attempt was written meanwhile. A delivery that was skipped
 * meanwhile, as its endpoint was removed, will not be tried again. Every row is looked up by its key, so that
 * the work is linear in their number. Gives the ids of those that count.
 */
const writing = (sql: SqlClient, endings: ReadonlyArray<Ending>) => {
  const rows = Object.fromEntries(endings.map((each) => [each.delivery.id, rowOf(each)]))
  const ids = endings.map(({ delivery }) => delivery.id)
  const released = endings.filter(({ releases }) => releases)
  const field = (name: keyof ReturnType<typeof rowOf>, type = "text") =>
    Statement.fragment([
      Statement.literal(`((select rows from ended) -> delivery.id::text ->> '${name}')::${type}`)
    ])
  return sql<{ id: string }>`
    with ended as (
      select ${Column.json(rows)}::jsonb as rows
    ),
    concluded as (
      update delivery set attempt_count = ${field("n", "integer")},
        status = case when status = 'skipped' and ${field("status")} = 'retrying'
          then 'skipped' else ${field("status")} end,
        next_attempt_at = case when status <> 'skipped'
          then ${field("next_attempt_at", "timestamptz")} end,
        last_response_status = ${field("last_response_status", "integer")},
        last_error = ${field("last_error")},
        delivered_at = ${field("delivered_at", "timestamptz")}
      where id = any(array(select unnest(${ids}::uuid[])))
        and attempt_count = ${field("n", "integer")} - 1
        and exists (
          select from webhook_queue queue
          where queue.endpoint_id = delivery.endpoint_id and queue.lease = ${field("lease")}
        )
      returning id
    ),
    released as (
      update webhook_queue set lease = null, lease_ends_at = null
      where endpoint_id = any(${released.map(({ delivery }) => delivery.endpointId)}::uuid[])
        and lease = any(${released.map(({ lease }) => lease)}::text[])
    ),
    told as (
      insert into delivery_attempt (delivery_id, n, at, trigger, duration_ms, response_status,
        response_body_truncated, error)
      select concluded.id, attempt.n, attempt.at, attempt.trigger, attempt.duration_ms,
        attempt.response_status, attempt.response_body_truncated, attempt.error
      from concluded, ended,
        jsonb_populate_record(null::delivery_attempt, ended.rows -> concluded.id::text) attempt
    )
    select id from concluded`
}

/** As many as one statement takes. */
const maxAtOnce = 200

interface Waiting extends Ending {
  readonly counts: Deferred.Deferred<boolean>
}

/** Takes what one statement writes: no delivery twice, as its second result depends on what came of the first. */
const takeTogether = (queue: Array<Waiting>): ReadonlyArray<Waiting> => {
  const together = new Map<string, Waiting>()
  const later: Array<Waiting> = []
  for (const each of queue.splice(0, maxAtOnce)) {
    if (together.has(each.delivery.id)) later.push(each)
    else together.set(each.delivery.id, each)
  }
  queue.unshift(...later)
  return [...together.values()]
}

export const concluding = (sql: SqlClient): Deliveries["Service"]["conclude"] => {
  const queue: Array<Waiting> = []
  let isWriting = false

  const write = (endings: ReadonlyArray<Ending>) =>
    Effect.map(
      Answer.all(writing(sql, endings), ({ id }) => id),
      (ids) => new Set(ids)
    )

  const gathering = Gathering.make()
  const gathered = Effect.suspend(() =>
    queue.length === 0 || queue.length >= maxAtOnce ? Effect.void : gathering.wait
  )

  // Writes for all who came meanwhile, and tells each, whatever came of it.
  const writeWaiting = Effect.suspend(() => {
    const together = takeTogether(queue)
    if (together.length === 0) return Effect.void
    gathering.begin(together.length)
    return Effect.exit(Effect.suspend(() => write(together))).pipe(
      Effect.flatMap((exit) =>
        Effect.forEach(
          together,
          (each) =>
            Deferred.complete(
              each.counts,
              Effect.map(exit, (ids) => ids.has(each.delivery.id))
            ),
          { discard: true }
        )
      )
    )
  })

  // By itself, so that no attempt that is given up takes the results of others with it.
  const writeAll = Effect.forkDetach(
    Effect.whileLoop({
      while: () => {
        isWriting = queue.length > 0
        return isWriting
      },
      body: () => Effect.andThen(gathered, writeWaiting),
      step: () => undefined
    }),
    { startImmediately: true }
  )

  return (lease, delivery, attempt, releases = false) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) => {
      const ending = { lease, delivery, attempt, releases }
      if (running._tag === "Some") {
        return Effect.map(write([ending]), (ids) => ids.has(delivery.id))
      }
      const waiting = { ...ending, counts: Deferred.makeUnsafe<boolean>() }
      queue.push(waiting)
      // Whoever stops gives the endpoint back, after which the result would not count.
      const written = Effect.uninterruptible(Deferred.await(waiting.counts))
      return isWriting ? written : Effect.andThen(writeAll, written)
    })
}
