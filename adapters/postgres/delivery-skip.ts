/**
 * What becomes of deliveries whose endpoint was removed or disabled: readers see them skipped from that
 * instant on, and batches make it so, however many there are.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import {
  type Delivery,
  DeliveryStatus,
  isWaiting,
  skipped,
  waitingStatuses
} from "../../core/webhooks/delivery.ts"
import type { Deliveries } from "../../core/webhooks/delivery-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"

/**
 * Steps along the index from one endpoint that deliveries wait for to the next, and keeps those that are
 * removed or disabled: nobody claims anything for them. Each is looked up by itself, or all endpoints there are are read.
 */
const stranded = (sql: SqlClient) => sql`
  select waiting.endpoint_id from (
    with recursive step (endpoint_id) as (
      (select endpoint_id from delivery where status in ('pending', 'retrying')
        order by endpoint_id limit 1)
      union all
      select (select next.endpoint_id from delivery next
        where next.status in ('pending', 'retrying') and next.endpoint_id > step.endpoint_id
        order by next.endpoint_id limit 1)
      from step where step.endpoint_id is not null
    )
    select endpoint_id from step where endpoint_id is not null
  ) waiting
  cross join lateral (
    select from webhook_endpoint endpoint where endpoint.id = waiting.endpoint_id
      and (endpoint.removed_at is not null or endpoint.disabled_at is not null)
    offset 0
  ) unused`

/** Whoever is writing to one at this moment is not waited for; it is skipped by the next batch. */
const skip = (sql: SqlClient, endpoints: Fragment, max: number) =>
  Batch.touched(
    sql,
    sql`update delivery set status = 'skipped', next_attempt_at = null
      where id = any(array(
        select waiting.id from (${endpoints}) of_endpoint cross join lateral (
          select id from delivery
          where endpoint_id = of_endpoint.endpoint_id and status in ('pending', 'retrying')
          order by next_attempt_at, id limit ${max} for no key update skip locked
        ) waiting limit ${max}
      ))`
  )

/**
 * The account's endpoints for which something waits that nobody will send: to readers it is skipped. One pass through
 * the index over all that are removed or disabled, as an account may have had very many, and a further one for each
 * that is found.
 */
export const emptying = (sql: SqlClient, accountId: string) => {
  const isOfThose = sql`status in ('pending', 'retrying') and endpoint_id = any(array(
    select id from webhook_endpoint
    where account_id = ${accountId} and (removed_at is not null or disabled_at is not null)))`
  return Answer.all(
    sql<{ readonly id: string }>`
      with recursive waiting (id) as (
        (select endpoint_id from delivery where ${isOfThose} order by endpoint_id limit 1)
        union all
        select next.endpoint_id from waiting cross join lateral (
          select endpoint_id from delivery where ${isOfThose} and endpoint_id > waiting.id
          order by endpoint_id limit 1
        ) next
      )
      select id from waiting`,
    ({ id }) => id
  )
}

export const asShown =
  (emptied: ReadonlyArray<string>) =>
  (delivery: Delivery): Delivery =>
    isWaiting(delivery) && emptied.includes(delivery.endpointId) ? skipped(delivery) : delivery

type IsKept = (status: Delivery["status"]) => Fragment

/** A status that the planner is not told: else it sorts all of the few that wait, or failed, in the order of another index. */
export const untold =
  (sql: SqlClient): IsKept =>
  (status) =>
    sql`status = (select ${status}::text)`

/** What is shown in a status, or all there is, by the status that is kept. */
export const kindsOf = (
  sql: SqlClient,
  status: Delivery["status"] | undefined,
  emptied: ReadonlyArray<string>,
  kept: IsKept = (each) => sql`status = ${each}`
): ReadonlyArray<Fragment> => {
  if (status === undefined) return DeliveryStatus.literals.map(kept)
  if (emptied.length === 0) return [kept(status)]
  const isEmptied = sql`endpoint_id = any(${emptied}::uuid[])`
  if (status === "skipped") {
    const waiting = waitingStatuses.map((each) => sql`${kept(each)} and ${isEmptied}`)
    return [kept(status), ...waiting]
  }
  return waitingStatuses.some((each) => each === status)
    ? [sql`${kept(status)} and not ${isEmptied}`]
    : [kept(status)]
}

export const statusIs = (
  sql: SqlClient,
  status: Delivery["status"],
  emptied: ReadonlyArray<string>
) => sql`(${sql.or(kindsOf(sql, status, emptied))})`

export const skipping = (
  sql: SqlClient
): Pick<Deliveries["Service"], "skipWaiting" | "skipStranded"> => ({
  // Kept from the planner: of an endpoint that most deliveries are of it expects most of what waits, and reads all of it.
  skipWaiting: (endpointId, max) =>
    skip(sql, sql`select ${endpointId}::uuid as endpoint_id offset 0`, max),
  skipStranded: (max) => skip(sql, stranded(sql), max)
})
