/**
 * How endpoints are held and their deliveries handed out. Who holds an endpoint alone numbers what is sent to
 * it and counts its places; one that hangs holds up nobody else. Each step is linear in the rows it hands out.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { gap } from "../../core/timeline/numbering.ts"
import {
  type Deliveries,
  type HeldEndpoint,
  type LeasedDelivery,
  type LeaseRequest,
  minDue
} from "../../core/webhooks/delivery-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { deliveryTable } from "./delivery-row.ts"
import * as Gathering from "./gathering.ts"
import * as Leases from "./leases.ts"
import { lineNow } from "./line-now.ts"
import * as Packed from "./packed.ts"
import type { Row } from "./table.ts"

interface ClaimedRow extends Row {
  readonly lease: string
  /** The sequence it was given, now or before. */
  readonly given: bigint
  readonly body: Uint8Array
  readonly sealed_secret: string
  /** Only while its grace lasts. */
  readonly previous_sealed_secret: string | null
  readonly standard_headers: boolean
  readonly is_ailing: boolean
  readonly is_failing: boolean
}

const readClaimed = (row: ClaimedRow): LeasedDelivery => ({
  delivery: deliveryTable.read({ ...row, sequence: row.given }),
  body: Packed.unpack(row.body),
  sealedSecrets: [row.sealed_secret, row.previous_sealed_secret].flatMap((each) => each ?? []),
  standardHeaders: row.standard_headers,
  isAiling: row.is_ailing,
  isFailing: row.is_failing,
  lease: row.lease
})

/** By the words of the partial indexes. */
const isOpen = (sql: SqlClient) => sql`status in ('pending', 'retrying')`

/** What somebody has in hand, as an object, in which the database looks a key up by halves. */
const inHandOf = (held: ReadonlyArray<HeldEndpoint>) =>
  Column.json(Object.fromEntries(held.flatMap(({ inHand }) => inHand.map((id) => [id, 0]))))

/**
 * If anything is due at all, steps along the index from one endpoint that deliveries wait for to the next,
 * however many each has, and locks the queues of some that nobody holds, the longest due first. Queues that others are
 * taking at this moment are passed over for the next ones. What is asked more of as held is not taken: by the time that
 * a late claim is heard its lease may have ended, and its deliveries would be numbered twice in one statement.
 */
const taking = (sql: SqlClient, claim: LeaseRequest, leaseNow: Fragment) => {
  const isFree = sql`(queue.lease is null or queue.lease_ends_at <= ${leaseNow})`
  return sql`
    waiting (endpoint_id, due_at) as (
      (select endpoint_id, next_attempt_at from delivery
        where ${isOpen(sql)} and (
          select next_attempt_at from delivery where ${isOpen(sql)}
          order by next_attempt_at limit 1
        ) <= ${Column.date(claim.now)}
        order by endpoint_id, next_attempt_at limit 1)
      union all
      select next.endpoint_id, next.next_attempt_at from waiting cross join lateral (
        select endpoint_id, next_attempt_at from delivery
        where ${isOpen(sql)} and endpoint_id > waiting.endpoint_id
        order by endpoint_id, next_attempt_at limit 1
      ) next
    ),
    free as (
      select waiting.endpoint_id, count(*) over () as all_free,
        row_number() over (order by waiting.due_at, waiting.endpoint_id) as place
      from waiting
      join webhook_queue queue on queue.endpoint_id = waiting.endpoint_id and ${isFree}
      join webhook_endpoint endpoint on endpoint.id = waiting.endpoint_id
        and endpoint.removed_at is null and endpoint.disabled_at is null
      where waiting.due_at <= ${Column.date(claim.now)}
        and waiting.endpoint_id <> all(${claim.held.map(({ id }) => id)}::uuid[])
    ),
    enough as (
      select count(*) as endpoints from (
        select sum(ready.due) over (order by free.place) - ready.due as due_before
        from free cross join lateral (
          select count(*) as due from (
            select from delivery
            where endpoint_id = free.endpoint_id and ${isOpen(sql)}
              and next_attempt_at <= ${Column.date(claim.now)}
            limit ${claim.maxPerEndpoint}
          ) first
        ) ready
        where free.place <= ${minDue}
      ) one
      where due_before < ${minDue}
    ),
    taking as (
      select queue.endpoint_id, queue.last_sequence, queue.line, gen_random_uuid()::text as lease,
        true as is_taken, false as is_idle, null::bigint as wanted
      from free join webhook_queue queue on queue.endpoint_id = free.endpoint_id and ${isFree}
      order by free.place
      limit least(${claim.most}::bigint, greatest((select endpoints from enough),
        (select ceil(max(all_free) * ${claim.part}::float8) from free)))
      for no key update of queue skip locked
    )`
}

/** The queues that are held already, for as long as their leases are current. */
const holding = (sql: SqlClient, held: ReadonlyArray<HeldEndpoint>) => sql`
  holding as (
    select queue.endpoint_id, queue.last_sequence, queue.line, queue.lease, false as is_taken,
      mine.is_idle, mine.wanted
    from webhook_queue queue
    join unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ lease }) => lease)}::text[],
      ${held.map(({ inHand }) => String(inHand.length === 0))}::boolean[],
      ${held.map(({ wanted }) => String(wanted))}::bigint[]) as mine (id, lease, is_idle, wanted)
      on mine.id = queue.endpoint_id and mine.lease = queue.lease
    for no key update of queue
  )`

/**
 * A delivery that somebody is writing to at this moment is passed over. What is handed out for the first time is numbered
 * after the last number of its endpoint, whose queue is locked; above a gap when that was given on another line.
 */
const handingOut = (
  sql: SqlClient,
  claim: LeaseRequest,
  leaseNow: Fragment,
  queues: ReadonlyArray<readonly [name: string, clause: Fragment]>
) => {
  const at = Column.date(claim.now)
  const clauses = queues.map(([, clause]) => clause)
  const union = queues.map(([name]) => sql`select * from ${sql(name)}`)
  return sql<ClaimedRow>`
    with recursive now as materialized (select "number", is_kept from ${lineNow(sql)} records),
    ${sql.csv(clauses)},
    queues as (${sql.join(" union all ", false)(union)}),
    of_endpoint as (
      select queue.endpoint_id as of_endpoint_id, queue.lease, queue.is_taken,
        queue.last_sequence + greatest(0, now."number" - queue.line) * ${gap}::bigint as last_sequence,
        coalesce(queue.wanted, case when health.failing_since is null
          then ${claim.maxPerEndpoint}::bigint else ${claim.maxWhileFailing}::bigint end) as wanted,
        endpoint.sealed_secret, endpoint.standard_headers,
        case when endpoint.previous_secret_ends_at > ${at}
          then endpoint.previous_sealed_secret end as previous_sealed_secret,
        health.endpoint_id is not null as is_ailing, health.failing_since is not null as is_failing
      from queues queue
      join now on now.is_kept
      join webhook_endpoint endpoint on endpoint.id = queue.endpoint_id
        and endpoint.removed_at is null and endpoint.disabled_at is null
      left join webhook_health health on health.endpoint_id = queue.endpoint_id
    ),
    ready as (
      select of_endpoint.*, place.* from of_endpoint cross join lateral (
        select * from delivery
        where endpoint_id = of_endpoint.of_endpoint_id and ${isOpen(sql)} and next_attempt_at <= ${at}
          and not (select ${inHandOf(claim.held)}::jsonb) ? id::text
        order by next_attempt_at, id limit of_endpoint.wanted
        for no key update skip locked
      ) place
    ),
    taken as (
      select ready.*, coalesce(sequence, last_sequence + count(*) filter (where sequence is null)
        over (partition by endpoint_id order by next_attempt_at, id)) as given
      from ready
    ),
    queued as (
      update webhook_queue queue set lease = counted.lease,
        lease_ends_at = case when counted.is_taken
          then ${Leases.endOf(sql, leaseNow, claim.leaseMs)} else queue.lease_ends_at end,
        last_sequence = greatest(queue.last_sequence, counted.last),
        line = case when counted.is_numbering then (select "number" from now) else queue.line end
      from (
        select endpoint_id, lease, is_taken, max(given) as last,
          bool_or(sequence is null) as is_numbering
        from taken
        group by endpoint_id, lease, is_taken
        having is_taken or bool_or(sequence is null)
      ) counted
      where queue.endpoint_id = counted.endpoint_id
    ),
    given_back as (
      update webhook_queue set lease = null, lease_ends_at = null
      where endpoint_id = any(array(
        select endpoint_id from queues where is_idle
          and endpoint_id not in (select endpoint_id from taken)))
    ),
    numbered as (
      update delivery set sequence = (
        (select jsonb_object_agg(id, given) from taken where sequence is null) ->> id::text)::bigint
      where id = any(array(select id from taken where sequence is null))
    )
    select taken.*, (select body from webhook_event where id = taken.event_id) as body
    from taken order by next_attempt_at, id`
}

/** How many of the longest due deliveries are looked at for the next one that is nobody's. */
const maxLookedAt = 200

/** Endpoint by endpoint: of each the longest due counts, and the first that is due later. */
const nextDue = (
  sql: SqlClient,
  clock: Leases.Clock,
  claimedAt: Parameters<Deliveries["Service"]["nextDue"]>[0],
  held: ReadonlyArray<HeldEndpoint>
) => sql<{ due: Date | null }>`
  select min(ready.at) as due
  from (
    select endpoint_id, min(next_attempt_at) as first,
      min(next_attempt_at) filter (where next_attempt_at > ${Column.date(claimedAt)}) as following
    from (
      select id, endpoint_id, next_attempt_at from delivery where ${isOpen(sql)}
      order by next_attempt_at limit ${maxLookedAt}
    ) head
    where not (select ${inHandOf(held)}::jsonb) ? head.id::text
    group by endpoint_id
  ) waiting
  cross join lateral (
    select lease, lease_ends_at from webhook_queue where endpoint_id = waiting.endpoint_id offset 0
  ) queue
  cross join lateral (
    select from webhook_endpoint endpoint where endpoint.id = waiting.endpoint_id
      and endpoint.removed_at is null and endpoint.disabled_at is null
    offset 0
  ) used
  cross join lateral (
    select greatest(each.at, case
      when queue.lease is not null and queue.lease <> all(${held.map(({ lease }) => lease)}::text[])
      then ${Leases.endForCaller(sql, clock, claimedAt)} end) as at
    from unnest(array[waiting.first, waiting.following]) as each (at) where each.at is not null
  ) ready
  where ready.at > ${Column.date(claimedAt)}`

const claimed = (sql: SqlClient, clock: Leases.Clock, claim: LeaseRequest) => {
  const leaseNow = clock(sql, claim.now)
  const queues = [
    ...(claim.most > 0 ? [["taking", taking(sql, claim, leaseNow)] as const] : []),
    ...(claim.held.length > 0 ? [["holding", holding(sql, claim.held)] as const] : [])
  ]
  return queues.length === 0
    ? Answer.none
    : Answer.all(handingOut(sql, claim, leaseNow, queues), readClaimed)
}

/** A claim soon after another hands out what has gathered meanwhile. */
const inTurn = (claim: Deliveries["Service"]["claim"]): Deliveries["Service"]["claim"] => {
  const gathering = Gathering.make()
  return (request) =>
    Effect.andThen(
      gathering.wait,
      Effect.suspend(() => {
        gathering.begin()
        return claim(request)
      })
    )
}

export const claiming = (
  sql: SqlClient,
  clock: Leases.Clock
): Pick<Deliveries["Service"], "claim" | "release" | "renew" | "nextDue"> => ({
  claim: inTurn((claim) => claimed(sql, clock, claim)),

  release: (held) =>
    Answer.done(sql`update webhook_queue set lease = null, lease_ends_at = null
      where endpoint_id = any(${held.map(({ id }) => id)}::uuid[])
        and lease = any(${held.map(({ lease }) => lease)}::text[])`),

  renew: Leases.renewing(sql, clock, { table: "webhook_queue", key: "endpoint_id" }),

  nextDue: (claimedAt, held = []) =>
    Answer.only(nextDue(sql, clock, claimedAt, held), ({ due }) =>
      due === null ? undefined : Column.instant(due)
    )
})
