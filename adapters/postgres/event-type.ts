/**
 * The type of an event as the indexes of types have it: four bytes, where its words take more than twenty. Who asks by
 * it names the type besides, which tells apart what else the bytes stand for.
 */
import type { SqlClient } from "effect/sql/SqlClient"

/** In the words of the index alone: by the type itself the database would guess as if the two were independent. */
export const isOfType = (sql: SqlClient, column: "type" | "event_type", type: string) =>
  sql`hashtext(${sql(column)}) = hashtext(${type}::text) and coalesce(${sql(column)} = ${type}, false)`
