/** The store of webhook events on SQL. The body is kept packed, and read to the letter as it was signed. */
import { hash } from "node:crypto"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Page from "../../core/operation/page.ts"
import { clocksDifferSeconds, gap } from "../../core/timeline/numbering.ts"
import { type EventFilter, Events, type Numbered } from "../../core/webhooks/delivery-store.ts"
import { EventType } from "../../core/webhooks/endpoint.ts"
import type { Event } from "../../core/webhooks/event.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import { vaultsOf } from "./customer-vaults.ts"
import { isOfType } from "./event-type.ts"
import { lineNow } from "./line-now.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import { integer, packed, type Row, table, text, timestamp, uuid } from "./table.ts"

const eventTable = table<Event>("webhook_event", {
  id: text,
  accountId: uuid,
  object: text,
  type: text,
  pid: text,
  vaultId: uuid,
  version: integer,
  body: packed,
  createdAt: timestamp
})

/** Of each type, by the index of types: no other one has the order of all. */
const kindsOf = (sql: SqlClient.SqlClient, same: Partial<Event>) =>
  EventType.literals.map((type) => [eventTable.equals(same), isOfType(sql, "type", type)])

/** A page of each vault of a customer, by the index of vaults: asked for its own words, a type would have another. */
const ofCustomer = (
  sql: SqlClient.SqlClient,
  accountId: string,
  customer: NonNullable<EventFilter["customer"]>,
  { pid, type }: EventFilter,
  request: Page.Request
) => {
  const ofVault = [
    eventTable.equals({ accountId, object: "event", ...(pid === undefined ? {} : { pid }) }),
    sql`vault_id = wallet.id`,
    ...(type === undefined ? [] : [sql`type || '' = ${type}`])
  ]
  return sql<Row>`select told.* from ${vaultsOf(sql, accountId, customer)} wallet
    cross join lateral (
      select * from webhook_event ${Paging.tail(sql, ofVault, request, Paging.orderOf(eventTable))}
    ) told
    order by told.created_at desc, told.id desc limit ${request.limit + 1}`
}

/** Where the number of a request's last event stands. */
const versionKey = ({ accountId, pid }: Numbered) =>
  hash("sha256", `${accountId} ${pid}`, "hex").slice(0, 32)

export const layer = Layer.effect(
  Events,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const events = Rows.rows(sql, eventTable)
    return {
      append: (added) => {
        const [only] = added
        const inserted =
          only !== undefined && added.length === 1
            ? eventTable.insert(only)
            : eventTable.insertAll(added)
        return Effect.map(
          Answer.all(
            sql<{ id: string }>`${inserted} on conflict (id, account_id) do nothing returning id`,
            ({ id }) => id
          ),
          (ids) => new Set(ids)
        )
      },

      // Where the next line is about to begin, it is the next one at least.
      nextVersions: (requests) => {
        const keys = requests.map(versionKey)
        const lasts = Answer.all(
          sql<{ of_request: string; last: number }>`
            insert into webhook_version (of_request, last, line)
            select told.of_request, case
                when begun_at is null or told.made_at >= begun_at + make_interval(secs => ${clocksDifferSeconds}::integer)
                then 1
                else 1 + (now.line - 1) * ${gap}::integer end, now.line::integer
            from unnest(${keys}::uuid[], ${requests.map(({ madeAt }) => Column.date(madeAt))}::timestamptz[])
              as told (of_request, made_at)
            cross join (
              select "number" + case when is_here then 0 else 1 end as line,
                case when is_here then begun_at else now() end as begun_at
              from ${lineNow(sql)} records
            ) now
            on conflict (of_request) do update set
              last = webhook_version.last + 1
                + greatest(0, excluded.line - webhook_version.line) * ${gap}::integer,
              line = greatest(webhook_version.line, excluded.line)
            returning of_request, last`,
          ({ last, of_request }) => [of_request.replaceAll("-", ""), last] as const
        )
        return Effect.flatMap(lasts, (found) => {
          const byKey = new Map(found)
          return Effect.forEach(keys, (key) => {
            const last = byKey.get(key)
            return last === undefined
              ? Effect.die(new Error("A request was given no version"))
              : Effect.succeed(last)
          })
        })
      },

      find: (accountId, id) => events.first({ accountId, id }),

      forget: (madeBefore, max) =>
        Batch.deleted(sql, {
          table: "webhook_event",
          where: sql`created_at at time zone 'utc' <
              ${Column.date(madeBefore)}::timestamptz at time zone 'utc'
            and not is_kept and not exists (select from delivery where event_id = webhook_event.id)`,
          by: sql`created_at at time zone 'utc'`,
          max
        }),

      list: (accountId, { customer, pid, type }, request) => {
        const all = { accountId, object: "event" } as const
        if (customer === undefined) {
          const conditions = [
            eventTable.equals({ ...all, ...(pid === undefined ? {} : { pid }) }),
            ...(type === undefined ? [] : [isOfType(sql, "type", type)])
          ]
          const isAll = pid === undefined && type === undefined
          const kinds = isAll ? kindsOf(sql, all) : [conditions]
          const order = Paging.orderOf(eventTable)
          const rows = Paging.ofEach(sql, sql`webhook_event`, kinds, request, order)
          return Paging.page(sql<Row>`${rows}`, request, eventTable.read)
        }
        const rows = ofCustomer(sql, accountId, customer, { pid, type }, request)
        return Paging.page(rows, request, eventTable.read)
      }
    }
  })
)
