/**
 * How deliveries are taken in turn. Claims of all replicas pass one by one through an advisory lock, so
 * the count of an endpoint's leases is exact: it never has more at work than it may, and one that hangs
 * holds up nobody else.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Claim, Claimed, Deliveries } from "../../core/webhooks/delivery-store.ts"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { deliveryTable } from "./delivery-row.ts"
import * as Leases from "./leases.ts"
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

const readClaimed = (row: ClaimedRow): Claimed => ({
  delivery: deliveryTable.read(row),
  body: row.body,
  sealedSecrets: [row.sealed_secret, row.previous_sealed_secret].flatMap((each) => each ?? []),
  standardHeaders: row.standard_headers,
  isAiling: row.is_ailing,
  lease: row.lease
})

/**
 * Steps along the index from one endpoint with a due row to the next, however many rows each has, and
 * takes of each no more than its free places. Only what is taken is locked; a row somebody is writing
 * to at this moment is passed over. What is taken for the first time is numbered, and nobody else touches
 * the numbers. Rows are looked up by arrays of ids, for which the planner trusts the index at any size.
 */
const taking = (sql: SqlClient, clock: Leases.Clock, claim: Claim) => {
  const { leaseMs, most, maxPerEndpoint, maxWhileFailing, now } = claim
  const at = Column.date(now)
  const leaseNow = clock(sql, now)
  return sql<ClaimedRow>`
    with recursive waiting (endpoint_id) as (
      (select endpoint_id from delivery
        where status in ('pending', 'retrying') and next_attempt_at <= ${at}
        order by endpoint_id limit 1)
      union all
      select (select next.endpoint_id from delivery next
        where next.status in ('pending', 'retrying') and next.next_attempt_at <= ${at}
          and next.endpoint_id > waiting.endpoint_id
        order by next.endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null
    ),
    chosen as (
      select place.id from waiting
      join webhook_endpoint endpoint
        on endpoint.id = waiting.endpoint_id
          and endpoint.removed_at is null and endpoint.disabled_at is null
      left join webhook_health health on health.endpoint_id = endpoint.id
      cross join lateral (
        select candidate.id, candidate.next_attempt_at from delivery candidate
        where candidate.endpoint_id = waiting.endpoint_id
          and candidate.status in ('pending', 'retrying')
          and candidate.next_attempt_at <= ${at}
          and (candidate.lease is null or candidate.lease_ends_at <= ${leaseNow})
        order by candidate.next_attempt_at, candidate.id
        limit greatest(0, case when health.failing_since is null
          then ${maxPerEndpoint}::bigint else ${maxWhileFailing}::bigint end - (
          select count(*) from delivery busy
          where busy.endpoint_id = waiting.endpoint_id and busy.lease is not null
            and busy.lease_ends_at > ${leaseNow}
        ))
      ) place
      order by place.next_attempt_at, place.id
      limit ${most}
    ),
    locked as (
      select delivery.id, delivery.endpoint_id, delivery.sequence, delivery.next_attempt_at
      from delivery where delivery.id = any(array(select id from chosen))
        and delivery.status in ('pending', 'retrying')
        and (delivery.lease is null or delivery.lease_ends_at <= ${leaseNow})
      for no key update of delivery skip locked
    ),
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
      update delivery set lease = gen_random_uuid(),
        lease_ends_at = ${Leases.endOf(sql, leaseNow, leaseMs)},
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
): Pick<Deliveries["Service"], "claim" | "renew" | "nextDue"> => ({
  // Two statements: the second must see what was committed while the first waited.
  claim: (claim) =>
    Answer.all(
      sql.withTransaction(
        Effect.andThen(
          sql`select pg_advisory_xact_lock(${AdvisoryLock.space}, ${AdvisoryLock.claims})`,
          taking(sql, clock, claim)
        )
      ),
      readClaimed
    ),

  renew: Leases.renewing(sql, clock, { table: "delivery", key: "id" }),

  nextDue: (now) =>
    Answer.only(
      sql<{ due: Date | null }>`select least(
      (select next_attempt_at from delivery
        join webhook_endpoint endpoint
          on endpoint.id = endpoint_id and removed_at is null and disabled_at is null
        where delivery.status in ('pending', 'retrying') and lease is null
        order by next_attempt_at limit 1),
      (select ${Leases.endForCaller(sql, clock, now)} from delivery
        join webhook_endpoint endpoint
          on endpoint.id = endpoint_id and removed_at is null and disabled_at is null
        where delivery.status in ('pending', 'retrying') and lease is not null
        order by lease_ends_at limit 1)
    ) as due`,
      ({ due }) => (due === null ? undefined : Column.instant(due))
    )
})
