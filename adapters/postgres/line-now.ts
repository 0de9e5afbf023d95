/**
 * The line of history that a statement writes on, read by the statement itself: a session may lead to another server
 * than the one before it, whose line stands in the records until the next one begins.
 */
import { DateTime } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { LineNow } from "../../core/timeline/numbering.ts"
import { serverNow } from "./server-identity.ts"

/** Under which name the line stands among what is kept of keys. Records without one are on the first line. */
export const lineName = "records_timeline"

/** A row: the line in the records, whether it is of this server, and whether the key store has given it to it. */
export const lineNow = (sql: SqlClient.SqlClient) => sql`(
  select coalesce((line ->> 'number')::bigint, 1) as "number",
    (line ->> 'begunAt')::timestamptz as begun_at, line is null or is_here as is_here,
    line is null or (is_here and coalesce((line ->> 'isKept')::boolean, false)) as is_kept
  from (
    select line, line ->> 'server' = ${serverNow(sql)} as is_here
    from (select (select sealed::jsonb from key_material where name = ${lineName}) as line) kept
  ) records)`

export interface LineRow {
  readonly number: number
  readonly begun_at: Date | null
  readonly is_kept: boolean
}

export const readLine = ({ begun_at, is_kept, number }: LineRow): LineNow | undefined =>
  is_kept
    ? {
        number: Number(number),
        begunAt: begun_at === null || Number(number) === 1 ? null : DateTime.makeUnsafe(begun_at)
      }
    : undefined
