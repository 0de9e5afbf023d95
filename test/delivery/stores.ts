/** What the raw tables say of deliveries, in statements of our own; none of the service's code reads them here. */
import { Effect, ManagedRuntime, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../../adapters/postgres/server.ts"

const gaps = `select count(*)::integer as count from (
  select sequence, row_number() over (partition by endpoint_id order by sequence) as place
  from delivery where sequence is not null) numbered where sequence <> place`

const miscounted = `select count(*)::integer as count from delivery d
  where attempt_count <> (select count(*) from delivery_attempt a where a.delivery_id = d.id)
    or attempt_count > max_attempts`

export const open = (url: string) => {
  const runtime = ManagedRuntime.make(Server.layer({ url: Redacted.make(url), maxConnections: 2 }))
  const count = (statement: string): Promise<number> =>
    runtime.runPromise(
      Effect.map(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ count: number }>(statement)),
        ([row]) => Number(row?.count)
      )
    )
  return {
    /** Deliveries that wait or are under way. */
    unfinished: () =>
      count(`select count(*)::integer as count from delivery
        where status in ('pending', 'retrying')`),
    /** Those of them that were made more than a second ago. */
    overdue: () =>
      count(`select count(*)::integer as count from delivery
        where status in ('pending', 'retrying') and created_at < now() - interval '1 second'`),
    delivered: () =>
      count("select count(*)::integer as count from delivery where status = 'delivered'"),
    /** Attempts that have ended. */
    attempts: () => count("select count(*)::integer as count from delivery_attempt"),
    events: () => count("select count(*)::integer as count from webhook_event"),
    /** Events without their delivery. */
    orphans: () =>
      count(`select count(*)::integer as count from webhook_event e
        where not exists (select from delivery d where d.event_id = e.id)`),
    /** Sequences that do not count from 1 on without a gap. */
    gaps: () => count(gaps),
    /** Deliveries whose count of attempts is not that of their attempts, or beyond what they may have. */
    miscounted: () => count(miscounted),
    close: () => runtime.dispose()
  }
}

export type Stores = ReturnType<typeof open>
