/**
 * The store of deliveries on SQL: writing them down and reading them. Taking them in turn is told in
 * `delivery-claim.ts`, writing down how they went in `delivery-end.ts`.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Page from "../../core/operation/page.ts"
import { isWaiting } from "../../core/webhooks/delivery.ts"
import { Deliveries, type Filter, type Recovery } from "../../core/webhooks/delivery-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { claiming } from "./delivery-claim.ts"
import { concluding } from "./delivery-end.ts"
import { forgetting } from "./delivery-forget.ts"
import { attemptTable, deliveryTable } from "./delivery-row.ts"
import { asShown, emptying, kindsOf, skipping, statusIs, untold } from "./delivery-skip.ts"
import { isOfType } from "./event-type.ts"
import { LeaseClock } from "./leases.ts"
import * as Packed from "./packed.ts"
import * as Paging from "./paging.ts"
import type { Row } from "./table.ts"

/**
 * One of each endpoint at most, read in the order of numbers: as most endpoints have a delivery of this number, the
 * database would rather look through all of the account.
 */
const numbered = (
  sql: SqlClient.SqlClient,
  accountId: string,
  sequence: number,
  endpointId: string | undefined
) => sql`
  id = any(array(
    select id from delivery where account_id = ${accountId}
      ${endpointId === undefined ? sql`` : sql`and endpoint_id = ${Column.soughtUuid(endpointId)}`}
      and sequence >= ${sequence}::bigint and sequence < ${sequence}::bigint + 1
    order by sequence, endpoint_id limit 1000
  ))`

const matching = (sql: SqlClient.SqlClient, filter: Filter, emptied: ReadonlyArray<string>) => [
  ...(filter.status === undefined ? [] : [statusIs(sql, filter.status, emptied)]),
  ...(filter.endpointId === undefined
    ? []
    : [sql`endpoint_id = ${Column.soughtUuid(filter.endpointId)}`]),
  ...(filter.eventId === undefined ? [] : [sql`event_id = ${filter.eventId}`]),
  ...(filter.since === undefined ? [] : [sql`created_at >= ${Column.date(filter.since)}`]),
  ...(filter.until === undefined ? [] : [sql`created_at < ${Column.date(filter.until)}`])
]

/** By the index of what is asked for; all there are, and those of a status, by the index of statuses. */
const listing = (
  sql: SqlClient.SqlClient,
  accountId: string,
  filter: Filter,
  emptied: ReadonlyArray<string>,
  request: Page.Request
) => {
  const { sequence, status, ...others } = filter
  const ofAccount = sql`account_id = ${accountId}`
  const { endpointId, eventId, eventType } = others
  if ([endpointId, eventId, eventType, sequence].every((each) => each === undefined)) {
    const rest = [ofAccount, ...matching(sql, others, emptied)]
    const kinds = kindsOf(sql, status, emptied, untold(sql)).map((kind) => [kind, ...rest])
    return Paging.ofEach(sql, sql`delivery`, kinds, request)
  }
  const of =
    sequence === undefined ? ofAccount : numbered(sql, accountId, sequence, filter.endpointId)
  const conditions = [
    of,
    ...(eventType === undefined ? [] : [isOfType(sql, "event_type", eventType)]),
    ...matching(sql, filter, emptied)
  ]
  return Paging.ofEach(sql, sql`delivery`, [conditions], request)
}

/**
 * A page of what did not arrive, and of each whether its event is to be sent anew. Each event is looked up
 * once, however often it was replayed.
 */
const recovering = (
  sql: SqlClient.SqlClient,
  { accountId, since, statuses, until, ...of }: Recovery,
  { after, limit }: Page.Request
) => {
  const endpointId = Column.soughtUuid(of.endpointId)
  return sql<Row & { readonly is_lost: boolean }>`
  with ended as materialized (
    select * from delivery
    where account_id = ${accountId} and endpoint_id = ${endpointId}
      and status in ('failed', 'skipped', 'gone')
      and created_at >= ${Column.date(since)} and created_at < ${Column.date(until)}
      ${after === undefined ? sql`` : sql`and (created_at, id) > (${Column.date(after.createdAt)}, ${Column.soughtUuid(after.id)})`}
    order by created_at, id limit ${limit + 1}
  ),
  of_event as materialized (
    select distinct event_id from ended where event_type <> 'webhook.test'
  ),
  newest as (
    select distinct on (of_event.event_id) last.id
    from of_event cross join unnest(${statuses}::text[]) wanted cross join lateral (
      select id, created_at from delivery
      where event_id = of_event.event_id and endpoint_id = ${endpointId} and status = wanted
        and status in ('failed', 'skipped', 'gone') and created_at < ${Column.date(until)}
      order by created_at desc, id desc limit 1
    ) last
    order by of_event.event_id, last.created_at desc, last.id desc
  ),
  arriving as (
    select of_event.event_id
    from of_event cross join lateral (
      select from delivery
      where hashtextextended(event_id, uuid_hash_extended(endpoint_id, 0))
          = hashtextextended(of_event.event_id, uuid_hash_extended(${endpointId}::uuid, 0))
        and event_id = of_event.event_id and endpoint_id = ${endpointId}
        and status in ('pending', 'retrying', 'delivered')
      limit 1
    ) one
  )
  select *, id in (select id from newest)
    and event_id not in (select event_id from arriving) as is_lost
  from ended order by created_at, id`
}

export const layer = Layer.effect(
  Deliveries,
  Effect.map(Effect.all([SqlClient.SqlClient, LeaseClock]), ([sql, clock]) => ({
    ...claiming(sql, clock),
    ...skipping(sql),

    enqueue: (deliveries) =>
      deliveries.length === 0
        ? Effect.void
        : Answer.done(sql`${deliveryTable.insertAll(deliveries)}`),

    conclude: concluding(sql),

    forget: forgetting(sql),

    recoverable: (recovery, request) =>
      Effect.map(
        Answer.all(recovering(sql, recovery, request), (row) => ({
          ...deliveryTable.read(row),
          isLost: row.is_lost
        })),
        (rows) => {
          const page = Page.cut(rows, request.limit)
          return { ...page, rows: page.rows.filter(({ isLost }) => isLost) }
        }
      ),

    find: Effect.fnUntraced(function* (accountId, deliveryId) {
      const found = yield* Answer.first(
        sql<Row & { readonly body: Uint8Array }>`select delivery.*, event.body
          from delivery join webhook_event event on event.id = delivery.event_id
          where delivery.account_id = ${accountId} and delivery.id = ${Column.soughtUuid(deliveryId)}`,
        (row) => ({ delivery: deliveryTable.read(row), body: Packed.unpack(row.body) })
      )
      if (found === undefined) return undefined
      const attempts = yield* Answer.all(
        sql<Row>`select * from delivery_attempt where delivery_id = ${found.delivery.id} order by n`,
        attemptTable.read
      )
      const emptied = isWaiting(found.delivery) ? yield* emptying(sql, accountId) : []
      return { ...found, delivery: asShown(emptied)(found.delivery), attempts }
    }),

    list: Effect.fnUntraced(function* (accountId, filter, request) {
      const emptied = yield* emptying(sql, accountId)
      const rows = sql<Row>`${listing(sql, accountId, filter, emptied, request)}`
      return yield* Paging.page(rows, request, (row) => asShown(emptied)(deliveryTable.read(row)))
    })
  }))
)
