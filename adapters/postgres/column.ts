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

/** Whether what somebody asks for has the form of an id. */
export const isUuid = (asked: string): boolean => uuidForm.test(asked)

/** The id that nothing has; it sorts before all others. */
export const nobodys = "00000000-0000-0000-0000-000000000000"

/** An id that somebody asks for: what is no UUID is the one that nothing has. */
export const soughtUuid = (asked: string): string => (isUuid(asked) ? asked : nobodys)

/** Ids that are asked for at once: what is no UUID is left out, as nothing has it. */
export const soughtUuids = (asked: ReadonlyArray<string>): ReadonlyArray<string> =>
  asked.filter((id) => uuidForm.test(id))

/** An id that is written. Another form than that of the port's would be another id when it is read. */
export const uuid = (id: string): string => {
  if (!uuidForm.test(id)) throw new Error(`An id is to be a UUID in lower case: ${id}`)
  return id
}

/** JSON as a parameter: the client sends text, the database reads it. */
export const json = (value: unknown): string => JSON.stringify(value)
