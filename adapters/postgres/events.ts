/** The store of webhook events on SQL. The body is text: the bytes that are signed are the bytes kept. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Event } from "../../core/webhooks/event.ts"
import { Events } from "../../core/webhooks/event-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly type: Event["type"]
  readonly pid: string | null
  readonly version: number | null
  readonly body: string
  readonly created_at: Date
}

const read = (row: Row): Event => ({
  id: row.id,
  accountId: row.account_id,
  type: row.type,
  pid: row.pid,
  version: row.version,
  body: row.body,
  createdAt: Column.instant(row.created_at)
})

export const layer = Layer.effect(
  Events,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    append: (event) =>
      Answer.done(sql`
        insert into webhook_event (id, account_id, type, pid, version, body, created_at)
        values (${event.id}, ${event.accountId}, ${event.type}, ${event.pid}, ${event.version},
          ${event.body}, ${Column.date(event.createdAt)})`),

    nextVersion: (accountId, pid) =>
      Answer.only(
        sql<{ last: number }>`
          insert into webhook_version (account_id, pid, last) values (${accountId}, ${pid}, 1)
          on conflict (account_id, pid) do update set last = webhook_version.last + 1
          returning last`,
        ({ last }) => last
      ),

    find: (accountId, eventId) =>
      Answer.first(
        sql<Row>`select * from webhook_event where account_id = ${accountId} and id = ${eventId}`,
        read
      ),

    list: (accountId, { pid, type }, request) => {
      const conditions = [
        sql`account_id = ${accountId}`,
        ...(type === undefined ? [] : [sql`type = ${type}`]),
        ...(pid === undefined ? [] : [sql`pid = ${pid}`])
      ]
      return Paging.page(
        sql<Row>`select * from webhook_event ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    }
  }))
)
