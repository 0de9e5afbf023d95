/**
 * How it is written down what came of attempts. Those that end while others are being written are written
 * together by one statement and one commit; inside a transaction each is written at once.
 */
import { DateTime, Deferred, Effect, Semaphore } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Attempt, Delivery } from "../../core/webhooks/delivery.ts"
import type { Deliveries } from "../../core/webhooks/delivery-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface Ending {
  readonly lease: string
  readonly delivery: Delivery
  readonly attempt: Attempt
}

const iso = (at: DateTime.Utc | null) => (at === null ? null : DateTime.formatIso(at))

const rowOf = ({ attempt, delivery, lease }: Ending) => ({
  id: delivery.id,
  lease,
  status: delivery.status,
  attemptCount: delivery.attemptCount,
  nextAttemptAt: iso(delivery.nextAttemptAt),
  lastResponseStatus: delivery.lastResponseStatus,
  lastError: delivery.lastError,
  deliveredAt: iso(delivery.deliveredAt),
  n: attempt.n,
  at: iso(attempt.at),
  trigger: attempt.trigger,
  durationMs: attempt.durationMs,
  responseStatus: attempt.responseStatus,
  responseBody: attempt.responseBodyTruncated,
  error: attempt.error
})

/**
 * State and attempt in one statement, by the rule of `concluded`: under a lease that is not current, neither is written. A delivery
 * that was skipped meanwhile, as its endpoint was removed, will not be tried again. Rows are locked in the
 * order of their ids, as by whoever skips them. Gives the leases that were current.
 */
const writing = (sql: SqlClient, endings: ReadonlyArray<Ending>) => sql<{ lease: string }>`
  with ended as (
    select * from jsonb_to_recordset(${Column.json(endings.map(rowOf))}::jsonb) as row (
      "id" text, "lease" text, "status" text, "attemptCount" integer, "nextAttemptAt" timestamptz,
      "lastResponseStatus" integer, "lastError" text, "deliveredAt" timestamptz, "n" integer,
      "at" timestamptz, "trigger" text, "durationMs" integer, "responseStatus" integer,
      "responseBody" text, "error" text)
  ),
  current as (
    select delivery.id, delivery.lease, delivery.status from delivery
    join ended on ended.id = delivery.id and ended.lease = delivery.lease
    where delivery.id = any(array(select id from ended))
    order by delivery.id for no key update of delivery
  ),
  concluded as (
    update delivery set attempt_count = ended."attemptCount",
      status = case when current.status = 'skipped' and ended.status = 'retrying'
        then 'skipped' else ended.status end,
      next_attempt_at = case when current.status = 'skipped' then null
        else ended."nextAttemptAt" end,
      last_response_status = ended."lastResponseStatus", last_error = ended."lastError",
      delivered_at = ended."deliveredAt", lease = null, lease_ends_at = null
    from current join ended on ended.lease = current.lease
    where delivery.id = current.id and delivery.id = any(array(select id from current))
    returning delivery.id, ended.lease as of_lease
  ),
  told as (
    insert into delivery_attempt (delivery_id, n, at, trigger, duration_ms, response_status,
      response_body_truncated, error)
    select ended.id, n, at, trigger, "durationMs", "responseStatus", "responseBody", error
    from ended join concluded on concluded.of_lease = ended.lease
  )
  select of_lease as lease from concluded`

/** As many as one statement takes. */
const maxAtOnce = 200

interface Waiting extends Ending {
  readonly isCurrent: Deferred.Deferred<boolean>
}

export const concluding = (sql: SqlClient): Deliveries["Service"]["conclude"] => {
  const queue: Array<Waiting> = []
  const turn = Semaphore.makeUnsafe(1)

  const written = (endings: ReadonlyArray<Ending>) =>
    Effect.map(
      Answer.all(writing(sql, endings), ({ lease }) => lease),
      (leases) => new Set(leases)
    )

  // Whoever's turn it is writes for all who came meanwhile, and tells each, whatever came of it.
  const writeWaiting = Effect.suspend(() => {
    const together = queue.splice(0, maxAtOnce)
    if (together.length === 0) return Effect.void
    // A lease ends once, whoever else claims to hold it.
    const first = new Map(together.toReversed().map((each) => [each.lease, each]))
    return Effect.exit(written([...first.values()])).pipe(
      Effect.flatMap((exit) =>
        Effect.forEach(
          together,
          (each) =>
            Deferred.complete(
              each.isCurrent,
              Effect.map(exit, (leases) => leases.has(each.lease) && first.get(each.lease) === each)
            ),
          { discard: true }
        )
      ),
      Effect.uninterruptible
    )
  })

  return (lease, delivery, attempt) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) => {
      const ending = { lease, delivery, attempt }
      if (running._tag === "Some") {
        return Effect.map(written([ending]), (leases) => leases.has(lease))
      }
      const waiting = { ...ending, isCurrent: Deferred.makeUnsafe<boolean>() }
      queue.push(waiting)
      return Effect.andThen(turn.withPermit(writeWaiting), Deferred.await(waiting.isCurrent))
    })
}
