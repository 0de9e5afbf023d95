/**
 * How webhook endpoints fare, on SQL. A row stands only while the last attempt failed; who changes an
 * endpoint and who makes its attempts never wait for each other.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface Row {
  readonly failures: number
  readonly first_failed_at: Date
  readonly failing_since: Date | null
}

type Notes = "noteFailure" | "noteFailing" | "noteSuccess"

export const noting = (sql: SqlClient): Pick<WebhookEndpoints["Service"], Notes> => ({
  noteFailure: (endpointId, at) =>
    Answer.only(
      sql<Row>`
        insert into webhook_health (endpoint_id, failures, first_failed_at)
        values (${endpointId}, 1, ${Column.date(at)})
        on conflict (endpoint_id) do update set failures = webhook_health.failures + 1
        returning failures, first_failed_at, failing_since`,
      (row) => ({
        failures: row.failures,
        firstFailedAt: Column.instant(row.first_failed_at),
        failingSince: Column.instantOrNull(row.failing_since)
      })
    ),

  noteFailing: (endpointId, since) =>
    Answer.written(sql`
      update webhook_health set failing_since = ${Column.date(since)}
      where endpoint_id = ${endpointId} returning endpoint_id`),

  noteSuccess: (endpointId) =>
    Answer.any(sql`
      with ended as (
        delete from webhook_health where endpoint_id = ${endpointId} returning failing_since
      )
      select from ended where failing_since is not null`)
})
