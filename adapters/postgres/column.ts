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

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u
const nobodys = "00000000-0000-0000-0000-000000000000"

/** An id that somebody asks for, where ids are kept as UUIDs: what is none is the one that nothing has. */
export const uuid = (asked: string): string => (uuidForm.test(asked) ? asked : nobodys)

/** JSON as a parameter: the client sends text, the database reads it. */
export const json = (value: unknown): string => JSON.stringify(value)
