/**
 * An instant as callers write it: ISO 8601 with date, time and zone, and a day that is in the calendar.
 * Looser forms mean different instants on different machines, so none is guessed at. And as answers
 * write it, which is always UTC with milliseconds. Expiry is computed from it on read: a pending row past its
 * expiry is expired, even if no sweep has updated it yet.
 */
import { DateTime, Option, Schema, SchemaGetter } from "effect"

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/u
const expected = "an ISO 8601 time with its zone, such as 2030-01-31T12:00:00Z"

/** A reader of dates turns 30 February into a day of March. */
const isInCalendar = (text: string): boolean => {
  const day = text.slice(0, "2030-01-31".length)
  return Option.exists(
    DateTime.make(`${day}T00:00:00Z`),
    (at) => DateTime.formatIsoDate(at) === day
  )
}

export const Input = Schema.String.check(
  Schema.isPattern(pattern, { expected }),
  Schema.makeFilter((text: string) => (isInCalendar(text) ? undefined : `Expected ${expected}`), {
    expected
  })
).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))

const dayMs = 86_400_000
const digits = (width: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, number) => String(number).padStart(width, "0"))

const twoDigits = digits(2, 60)
const threeDigits = digits(3, 1_000)

// The rows of a page are mostly of one day, and the day is the costly part to write.
let written = { day: Number.NaN, text: "" }

const texted = (epochMs: number, at: DateTime.Utc): string => {
  const day = Math.floor(epochMs / dayMs)
  if (day !== written.day) written = { day, text: DateTime.formatIsoDateUtc(at) }
  const seconds = Math.floor((epochMs - day * dayMs) / 1000)
  const hour = twoDigits[Math.floor(seconds / 3600)]
  const minute = twoDigits[Math.floor(seconds / 60) % 60]
  const milliseconds = threeDigits[epochMs - (day * dayMs + seconds * 1000)]
  // Joined and not concatenated: JSON is written faster from a text in one piece.
  return [written.text, `${hour}:${minute}:${twoDigits[seconds % 60]}.${milliseconds}Z`].join("T")
}

/** Of each rest by this number, the instant that was written last: who asks for a list mostly asks for it again. */
const places = 256
const latest: Array<{ readonly epochMs: number; readonly text: string } | undefined> = new Array(
  places
)

/** `2030-01-31T12:00:00.000Z`. */
export const format = (at: DateTime.Utc): string => {
  const epochMs = Math.floor(DateTime.toEpochMillis(at))
  const place = Math.abs(epochMs % places)
  const known = latest[place]
  if (known?.epochMs === epochMs) return known.text
  const text = texted(epochMs, at)
  latest[place] = { epochMs, text }
  return text
}

const encodeTimestamp = (value: object): string => {
  if (DateTime.isDateTime(value) && DateTime.isUtc(value)) return format(value)
  throw new TypeError("What is shown as an instant is not one.")
}

/**
 * A field of answers. Its values are declared as plain objects, because only then does the compiler of
 * schemas write whole rows in one function; that each is an instant is looked at where it is written.
 */
export const Encoded = Schema.String.pipe(
  Schema.decodeTo(Schema.ObjectKeyword, {
    decode: SchemaGetter.transform((text: string): object => DateTime.makeUnsafe(text)),
    encode: SchemaGetter.transform(encodeTimestamp)
  })
) as unknown as Schema.Codec<DateTime.Utc, string>

/** The status as it is now: `expired` once what is still pending is over its time. */
export const effectiveStatus = <Status extends string>(
  { expiresAt, status }: { readonly expiresAt: DateTime.Utc; readonly status: Status },
  now: DateTime.Utc
): Status | "expired" =>
  status === "pending" && DateTime.isLessThanOrEqualTo(expiresAt, now) ? "expired" : status
