/**
 * How deliveries are taken in turn. Claims of all replicas pass one by one through an advisory lock, so
 * the count of an endpoint's leases is exact: it never has more at work than it may, and one that hangs
 * holds up nobody else.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type {
  Deliveries,
  LeasedDelivery,
  LeaseRequest
} from "../../core/webhooks/delivery-store.ts"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { deliveryTable } from "./delivery-row.ts"
import { leased } from "./leased-table.ts"
import type * as Leases from "./leases.ts"
import type { Row } from "./table.ts"

interface ClaimedRow extends Row {
  readonly lease: string
  readonly body: string
  readonly sealed_secret: string
  /** Only while its grace lasts. */
  readonly previous_sealed_secret: string | null
  readonly standard_headers: boolean
  readonly is_ailing: boolean
}

const readClaimed = (row: ClaimedRow): LeasedDelivery => ({
  delivery: deliveryTable.read(row),
  body: row.body,
  sealedSecrets: [row.sealed_secret, row.previous_sealed_secret].flatMap((each) => each ?? []),
  standardHeaders: row.standard_headers,
  isAiling: row.is_ailing,
  lease: row.lease
})

const queueOf = (sql: SqlClient, clock: Leases.Clock) =>
  leased(sql, clock, {
    table: "delivery",
    key: "id",
    due: "next_attempt_at",
    isOpen: sql`status in ('pending', 'retrying')`,
    groups: {
      by: "endpoint_id",
      isServed: (id) => sql`exists (select from webhook_endpoint endpoint
        where endpoint.id = ${id} and endpoint.removed_at is null and endpoint.disabled_at is null)`
    }
  })

/** What is taken for the first time is numbered, and nobody else touches the numbers. */
const taking = (sql: SqlClient, queue: ReturnType<typeof queueOf>, claim: LeaseRequest) => {
  const at = Column.date(claim.now)
  const places = (id: Fragment) => sql`case when exists (
      select from webhook_health where endpoint_id = ${id} and failing_since is not null
    ) then ${claim.maxWhileFailing}::bigint else ${claim.maxPerEndpoint}::bigint end`
  return sql<ClaimedRow>`
    with recursive ${queue.locked(claim, places)},
    numbered as (
      select id, row_number() over (partition by endpoint_id order by next_attempt_at, id) as place
      from locked where sequence is null
    ),
    counted as (
      insert into webhook_sequence (endpoint_id, last)
      select endpoint_id, count(*) from locked where sequence is null group by endpoint_id
      on conflict (endpoint_id) do update set last = webhook_sequence.last + excluded.last
      returning endpoint_id, last
    ),
    firsts as (
      select numbered.id, counted.last - count(*) over (partition by counted.endpoint_id)
        + numbered.place as sequence
      from numbered join locked on locked.id = numbered.id
      join counted on counted.endpoint_id = locked.endpoint_id
    ),
    claimed as (
      update delivery set ${queue.lease(claim)},
        sequence = coalesce(delivery.sequence, firsts.sequence)
      from locked left join firsts on firsts.id = locked.id
      where delivery.id = locked.id and delivery.id = any(array(select id from locked))
      returning delivery.*
    )
    select claimed.*, event.body, endpoint.sealed_secret, endpoint.standard_headers,
      case when endpoint.previous_secret_ends_at > ${at}
        then endpoint.previous_sealed_secret end as previous_sealed_secret,
      health.endpoint_id is not null as is_ailing
    from claimed
    join webhook_event event on event.id = claimed.event_id
    join webhook_endpoint endpoint on endpoint.id = claimed.endpoint_id
    left join webhook_health health on health.endpoint_id = claimed.endpoint_id
    order by claimed.next_attempt_at, claimed.id`
}

export const claiming = (
  sql: SqlClient,
  clock: Leases.Clock
): Pick<Deliveries["Service"], "claim" | "renew" | "nextDue"> => {
  const queue = queueOf(sql, clock)
  return {
    // Two statements: the second must see what was committed while the first waited.
    claim: (claim) =>
      Answer.all(
        sql.withTransaction(
          Effect.andThen(
            sql`select pg_advisory_xact_lock(${AdvisoryLock.space}, ${AdvisoryLock.claims})`,
            taking(sql, queue, claim)
          )
        ),
        readClaimed
      ),
    renew: queue.renew,
    nextDue: queue.nextDue
  }
}
