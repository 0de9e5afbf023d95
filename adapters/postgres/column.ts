/**
 * Columns as the domain has them. Instants are kept to the millisecond, counts are whole numbers, and
 * money stays the bigint it is.
 */
import { DateTime } from "effect"

export const instant = (column: Date): DateTime.Utc => DateTime.makeUnsafe(column.getTime())

export const instantOrNull = (column: Date | null): DateTime.Utc | null =>
  column === null ? null : instant(column)

/** An instant as a parameter. */
export const date = (at: DateTime.Utc): Date => new Date(DateTime.toEpochMillis(at))

export const dateOrNull = (at: DateTime.Utc | null): Date | null => (at === null ? null : date(at))

/** JSON as a parameter: the client sends text, the database reads it. */
export const json = (value: unknown): string => JSON.stringify(value)
