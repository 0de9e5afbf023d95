/**
 * Which server answers, and on which of its own timelines: that rises with each promotion. It is read from the log that
 * is written now, as the last checkpoint still names the timeline before the promotion.
 */
import type * as SqlClient from "effect/sql/SqlClient"

/** An expression of text. */
export const serverNow = (sql: SqlClient.SqlClient) =>
  sql`(select system_identifier || '/' || (select oid from pg_database where datname = current_database())
    || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system())`
