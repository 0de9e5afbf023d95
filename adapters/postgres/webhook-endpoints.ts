/** The store of webhook endpoints on SQL. A removed one keeps its row, because deliveries refer to it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"
import { noting } from "./webhook-health.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly url: string
  readonly events: Endpoint["events"]
  readonly description: string | null
  readonly max_attempts: number
  readonly standard_headers: boolean
  readonly registered_by: string | null
  readonly sealed_secret: string
  readonly previous_sealed_secret: string | null
  readonly previous_secret_ends_at: Date | null
  readonly disabled_at: Date | null
  readonly failing_since: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

const previousSecretOf = (row: Row): Endpoint["previousSecret"] =>
  row.previous_sealed_secret === null || row.previous_secret_ends_at === null
    ? null
    : {
        sealed: row.previous_sealed_secret,
        endsAt: Column.instant(row.previous_secret_ends_at)
      }

const read = (row: Row): Endpoint => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  events: row.events,
  description: row.description,
  maxAttempts: row.max_attempts,
  standardHeaders: row.standard_headers,
  registeredBy: row.registered_by,
  sealedSecret: row.sealed_secret,
  previousSecret: previousSecretOf(row),
  disabledAt: Column.instantOrNull(row.disabled_at),
  failingSince: Column.instantOrNull(row.failing_since),
  createdAt: Column.instant(row.created_at),
  updatedAt: Column.instant(row.updated_at)
})

/** Endpoints with how they fare. */
const standing = (sql: SqlClient.SqlClient) => sql`
  select endpoint.*, health.failing_since from webhook_endpoint endpoint
  left join webhook_health health on health.endpoint_id = endpoint.id`

export const layer = Layer.effect(
  WebhookEndpoints,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ...noting(sql),

    register: (endpoint) =>
      Answer.done(sql`
        insert into webhook_endpoint (id, account_id, url, events, description, max_attempts,
          standard_headers, registered_by, sealed_secret, previous_sealed_secret, previous_secret_ends_at,
          disabled_at, created_at, updated_at)
        values (${endpoint.id}, ${endpoint.accountId}, ${endpoint.url}, ${endpoint.events},
          ${endpoint.description}, ${endpoint.maxAttempts}, ${endpoint.standardHeaders},
          ${endpoint.registeredBy}, ${endpoint.sealedSecret}, ${endpoint.previousSecret?.sealed ?? null},
          ${Column.dateOrNull(endpoint.previousSecret?.endsAt ?? null)},
          ${Column.dateOrNull(endpoint.disabledAt)}, ${Column.date(endpoint.createdAt)},
          ${Column.date(endpoint.updatedAt)})`),

    find: (accountId, endpointId) =>
      Answer.first(
        sql<Row>`${standing(sql)}
          where account_id = ${accountId} and id = ${endpointId} and removed_at is null`,
        read
      ),

    hold: (accountId, endpointId) =>
      Answer.first(
        sql<Row>`${standing(sql)}
          where account_id = ${accountId} and id = ${endpointId} and removed_at is null
          for no key update of endpoint`,
        read
      ),

    list: (accountId, request) => {
      const conditions = [sql`account_id = ${accountId}`, sql`removed_at is null`]
      return Paging.page(
        sql<Row>`${standing(sql)} ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    },

    registeredBy: (accountId, callers) =>
      Answer.all(
        sql<Row>`${standing(sql)}
          where account_id = ${accountId} and removed_at is null
            and registered_by = any(${callers}::text[])
          order by created_at desc, id desc`,
        read
      ),

    revise: (endpoint) =>
      Answer.written(sql`
        update webhook_endpoint set url = ${endpoint.url}, events = ${endpoint.events},
          description = ${endpoint.description}, max_attempts = ${endpoint.maxAttempts},
          standard_headers = ${endpoint.standardHeaders}, sealed_secret = ${endpoint.sealedSecret},
          previous_sealed_secret = ${endpoint.previousSecret?.sealed ?? null},
          previous_secret_ends_at = ${Column.dateOrNull(endpoint.previousSecret?.endsAt ?? null)},
          disabled_at = ${Column.dateOrNull(endpoint.disabledAt)},
          updated_at = ${Column.date(endpoint.updatedAt)}
        where account_id = ${endpoint.accountId} and id = ${endpoint.id}
        returning id`),

    remove: (accountId, endpointId, at) =>
      Answer.any(sql`
        update webhook_endpoint set removed_at = ${Column.date(at)}
        where account_id = ${accountId} and id = ${endpointId} and removed_at is null
        returning id`),

    subscribed: (accountId, type) =>
      Answer.all(
        sql<Row>`${standing(sql)}
          where account_id = ${accountId} and removed_at is null and ${type} = any(events)
          order by created_at, id`,
        read
      ),

    forgetSecrets: (now, max) =>
      Batch.updated(sql, sql`previous_sealed_secret = null, previous_secret_ends_at = null`, {
        table: "webhook_endpoint",
        where: sql`previous_secret_ends_at <= ${Column.date(now)}`,
        by: "previous_secret_ends_at",
        max
      }),

    count: (accountId) =>
      Answer.only(
        sql<{ endpoints: number }>`select count(*)::integer as endpoints from webhook_endpoint
          where account_id = ${accountId} and removed_at is null`,
        ({ endpoints }) => endpoints
      )
  }))
)
