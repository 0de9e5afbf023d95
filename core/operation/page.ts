/**
 * Lists in pages. Every list is newest first in the stable order (createdAt, id); a cursor names the
 * last row seen, so rows that arrive while a caller pages are never skipped nor shown twice.
 */
import { DateTime, Effect, Schema } from "effect"
import { InvalidRequest } from "./refusal.ts"

/** The place after which the next page starts. */
export interface Position {
  readonly createdAt: DateTime.Utc
  readonly id: string
}

export interface Request {
  readonly limit: number
  readonly after?: Position
}

export interface Page<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next?: Position
}

/** Cuts `limit + 1` rows, as a store reads them, to one page that knows whether more follow. */
export const cut = <Row extends Position>(rows: ReadonlyArray<Row>, limit: number): Page<Row> => {
  const last = rows[limit - 1]
  return rows.length > limit && last !== undefined
    ? { rows: rows.slice(0, limit), next: { createdAt: last.createdAt, id: last.id } }
    : { rows }
}

export const isAfter = (row: Position, position: Position): boolean => {
  const difference =
    DateTime.toEpochMillis(row.createdAt) - DateTime.toEpochMillis(position.createdAt)
  return difference < 0 || (difference === 0 && row.id < position.id)
}

export const newestFirst = (a: Position, b: Position): number =>
  isAfter(a, b) ? 1 : isAfter(b, a) ? -1 : 0

const Limit = (most: number, usual: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })).annotate({
    description: "How many rows to answer with.",
    default: usual
  })

const Cursor = Schema.String.check(Schema.isPattern(/^[0-9]{1,15}_[A-Za-z0-9_-]{1,80}$/u)).annotate(
  {
    description: "The `nextCursor` of the page before."
  }
)

/** The two input fields every list takes, with as many rows as it answers with unless asked. */
export const inputOf = (usual: number) => ({
  limit: Schema.optionalKey(Limit(100, usual)),
  cursor: Schema.optionalKey(Cursor)
})

export const input = inputOf(20)

/** The two output fields beside every list. */
export const output = { hasMore: Schema.Boolean, nextCursor: Schema.NullOr(Schema.String) }

export const request = (
  fields: { readonly limit?: number; readonly cursor?: string },
  usual = 20
): Effect.Effect<Request, InvalidRequest> =>
  Effect.gen(function* () {
    const limit = fields.limit ?? usual
    if (fields.cursor === undefined) return { limit }
    const cutAt = fields.cursor.indexOf("_")
    const createdAt = DateTime.make(Number(fields.cursor.slice(0, cutAt)))
    if (createdAt._tag === "None") {
      return yield* new InvalidRequest({
        param: "cursor",
        message: "Pass the nextCursor of the page before, unchanged."
      })
    }
    return {
      limit,
      after: { createdAt: DateTime.toUtc(createdAt.value), id: fields.cursor.slice(cutAt + 1) }
    }
  })

export const answer = (page: Page<unknown>) => ({
  hasMore: page.next !== undefined,
  nextCursor:
    page.next === undefined
      ? null
      : `${DateTime.toEpochMillis(page.next.createdAt)}_${page.next.id}`
})
