/**
 * An instant as callers write it: ISO 8601 with date, time and zone, and a day that is in the calendar.
 * Looser forms mean different instants on different machines, so none is guessed at.
 */
import { DateTime, Option, Schema } from "effect"

const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/u
const expected = "an ISO 8601 time with its zone, such as 2030-01-31T12:00:00Z"

/** A reader of dates turns 30 February into a day of March. */
const isInCalendar = (text: string): boolean => {
  const day = text.slice(0, "2030-01-31".length)
  return Option.exists(
    DateTime.make(`${day}T00:00:00Z`),
    (at) => DateTime.formatIsoDate(at) === day
  )
}

export const FromCaller = Schema.String.check(
  Schema.isPattern(form, { expected }),
  Schema.makeFilter((text: string) => (isInCalendar(text) ? undefined : `Expected ${expected}`), {
    expected
  })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))
