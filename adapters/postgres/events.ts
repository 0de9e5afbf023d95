/** The store of webhook events on SQL. The body is text: the bytes that are signed are the bytes kept. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Events } from "../../core/webhooks/delivery-store.ts"
import type { Event } from "../../core/webhooks/event.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { integer, table, text, timestamp } from "./table.ts"

const eventTable = table<Event>("webhook_event", {
  id: text,
  accountId: text,
  object: text,
  type: text,
  pid: text,
  version: integer,
  body: text,
  createdAt: timestamp
})

export const layer = Layer.effect(
  Events,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const events = Rows.rows(sql, eventTable)
    return {
      append: (event) => events.insert(event),

      nextVersion: (accountId, pid) =>
        Answer.only(
          sql<{ last: number }>`
            insert into webhook_version (account_id, pid, last) values (${accountId}, ${pid}, 1)
            on conflict (account_id, pid) do update set last = webhook_version.last + 1
            returning last`,
          ({ last }) => last
        ),

      find: (accountId, id) => events.first({ accountId, id }),

      forget: (madeBefore, max) =>
        Batch.deleted(sql, {
          table: "webhook_event",
          where: sql`created_at < ${Column.date(madeBefore)}
            and not exists (select from delivery where event_id = webhook_event.id)`,
          by: "created_at",
          max
        }),

      list: (accountId, { pid, type }, request) =>
        events.page({ accountId, object: "event" }, request, { pid, type })
    }
  })
)
