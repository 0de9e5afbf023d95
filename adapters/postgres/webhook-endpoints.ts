/** The store of webhook endpoints on SQL. A removed one keeps its row, because deliveries refer to it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { changing, type Endpoint } from "../../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import { lineNow } from "./line-now.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import {
  bool,
  integer,
  named,
  type Row,
  table,
  text,
  texts,
  timestamp,
  together,
  uuid
} from "./table.ts"
import { noting } from "./webhook-health.ts"

/** An endpoint without how it fares, which is told by another table. */
type Kept = Omit<Endpoint, "failingSince">

const endpointTable = table<Kept>("webhook_endpoint", {
  id: uuid,
  accountId: uuid,
  url: text,
  events: texts,
  notices: texts,
  description: text,
  maxAttempts: integer,
  standardHeaders: bool,
  registeredBy: text,
  sealedSecret: text,
  previousSecret: together("previous", {
    sealed: named("sealed_secret", text),
    endsAt: named("secret_ends_at", timestamp)
  }),
  disabledAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp
})

interface Standing extends Row {
  readonly failing_since: Date | null
}

const read = (row: Standing): Endpoint => ({
  ...endpointTable.read(row),
  failingSince: Column.instantOrNull(row.failing_since)
})

export const layer = Layer.effect(
  WebhookEndpoints,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const endpoints = Rows.rows(sql, endpointTable)
    const standing = sql`
      select endpoint.*, health.failing_since from webhook_endpoint endpoint
      left join webhook_health health on health.endpoint_id = endpoint.id`
    const ofAccount = (accountId: string) => sql`account_id = ${accountId} and removed_at is null`
    return {
      ...noting(sql),

      register: (endpoint) =>
        Answer.done(sql`
          with registered as (${endpointTable.insert(endpoint)} returning id)
          insert into webhook_queue (endpoint_id, line)
          select registered.id, now."number" from registered cross join ${lineNow(sql)} now`),

      find: (accountId, id) =>
        Answer.first(
          sql<Standing>`${standing} where ${ofAccount(accountId)} and id = ${Column.soughtUuid(id)}`,
          read
        ),

      hold: (accountId, id) =>
        Answer.first(
          sql<Standing>`${standing} where ${ofAccount(accountId)} and id = ${Column.soughtUuid(id)}
            for no key update of endpoint`,
          read
        ),

      list: (accountId, request) =>
        Paging.page(
          sql<Standing>`${standing} ${Paging.tail(sql, [ofAccount(accountId)], request)}`,
          request,
          read
        ),

      registeredBy: (accountId, callers) =>
        Answer.all(
          sql<Standing>`${standing}
            where ${ofAccount(accountId)} and registered_by = any(${callers}::text[])
            order by created_at desc, id desc`,
          read
        ),

      revise: (endpoint) => endpoints.save(endpoint, changing),

      remove: (accountId, id, at) =>
        Answer.any(sql`
          update webhook_endpoint set removed_at = ${Column.date(at)}
          where ${ofAccount(accountId)} and id = ${Column.soughtUuid(id)} returning id`),

      subscribed: (accountId, type) =>
        Answer.all(
          sql<Standing>`${standing}
            where ${ofAccount(accountId)} and (${type} = any(events) or ${type} = any(notices))
            order by created_at, id`,
          read
        ),

      forgetSecrets: (now, max) =>
        Batch.updated(sql, endpointTable.set({ previousSecret: null }), {
          table: endpointTable.name,
          where: sql`previous_secret_ends_at <= ${Column.date(now)}`,
          by: "previous_secret_ends_at",
          max
        }),

      count: (accountId) =>
        Answer.only(
          sql<{ endpoints: number }>`select count(*)::integer as endpoints from webhook_endpoint
            where ${ofAccount(accountId)}`,
          ({ endpoints }) => endpoints
        )
    }
  })
)
