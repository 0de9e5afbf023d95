/** The book of webhook endpoints on SQL. A removed one keeps its row, because deliveries refer to it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { WebhookEndpoints } from "../../core/ports/webhook-endpoints.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly url: string
  readonly events: Endpoint["events"]
  readonly description: string | null
  readonly status: Endpoint["status"]
  readonly max_attempts: number
  readonly sealed_secret: string
  readonly created_at: Date
  readonly updated_at: Date
}

const read = (row: Row): Endpoint => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  events: row.events,
  description: row.description,
  status: row.status,
  maxAttempts: row.max_attempts,
  sealedSecret: row.sealed_secret,
  createdAt: Column.instant(row.created_at),
  updatedAt: Column.instant(row.updated_at)
})

export const layer = Layer.effect(
  WebhookEndpoints,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    register: (endpoint) =>
      Answer.done(sql`
        insert into webhook_endpoint (id, account_id, url, events, description, status,
          max_attempts, sealed_secret, created_at, updated_at)
        values (${endpoint.id}, ${endpoint.accountId}, ${endpoint.url}, ${endpoint.events},
          ${endpoint.description}, ${endpoint.status}, ${endpoint.maxAttempts},
          ${endpoint.sealedSecret}, ${Column.date(endpoint.createdAt)},
          ${Column.date(endpoint.updatedAt)})`),

    find: (accountId, endpointId) =>
      Answer.first(
        sql<Row>`select * from webhook_endpoint
          where account_id = ${accountId} and id = ${endpointId} and removed_at is null`,
        read
      ),

    list: (accountId, request) => {
      const conditions = [sql`account_id = ${accountId}`, sql`removed_at is null`]
      return Paging.page(
        sql<Row>`select * from webhook_endpoint ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    },

    revise: (endpoint) =>
      Answer.written(sql`
        update webhook_endpoint set url = ${endpoint.url}, events = ${endpoint.events},
          description = ${endpoint.description}, status = ${endpoint.status},
          max_attempts = ${endpoint.maxAttempts}, sealed_secret = ${endpoint.sealedSecret},
          updated_at = ${Column.date(endpoint.updatedAt)}
        where account_id = ${endpoint.accountId} and id = ${endpoint.id}
        returning id`),

    // What waits for it, or is under way, will not be sent again and says so; an attempt may conclude.
    remove: (accountId, endpointId, at) =>
      Answer.any(sql`
        with removed as (
          update webhook_endpoint set removed_at = ${Column.date(at)}
          where account_id = ${accountId} and id = ${endpointId} and removed_at is null
          returning id
        ),
        skipped as (
          update delivery set status = 'skipped', next_attempt_at = null from removed
          where delivery.endpoint_id = removed.id
            and delivery.status in ('pending', 'retrying')
        )
        select id from removed`),

    subscribed: (accountId, type) =>
      Answer.all(
        sql<Row>`select * from webhook_endpoint
          where account_id = ${accountId} and removed_at is null and ${type} = any(events)
          order by created_at, id`,
        read
      ),

    count: (accountId) =>
      Answer.only(
        sql<{ endpoints: number }>`select count(*)::integer as endpoints from webhook_endpoint
          where account_id = ${accountId} and removed_at is null`,
        ({ endpoints }) => endpoints
      )
  }))
)
