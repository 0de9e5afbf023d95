/**
 * Lists in pages, and the operation that answers with one. Every list is newest first in the stable order
 * (createdAt, id); a cursor names the last row seen, so rows that arrive while a caller pages are never
 * skipped nor shown twice.
 */
import { DateTime, Effect, Schema } from "effect"
import { Caller } from "./caller.ts"
import type { Facts } from "./definition.ts"
import { make } from "./operation.ts"
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
    description: "Maximum number of rows to return.",
    default: usual
  })

const Cursor = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,15}_[A-Za-z0-9_-]{1,80}$/u, {
    expected: "the nextCursor of the previous page, unchanged"
  })
).annotate({
  description: "The `nextCursor` of the previous page."
})

/** Rows of a page unless a call or an operation says otherwise, and at most. */
const defaultLimit = 20
const maxLimit = 100

/** The two input fields every list takes, with as many rows as it answers with unless asked. */
export const inputOf = (usual = defaultLimit) => ({
  limit: Schema.optionalKey(Limit(maxLimit, usual)),
  cursor: Schema.optionalKey(Cursor)
})

export const input = inputOf()

/** The two output fields beside every list. */
export const output = { hasMore: Schema.Boolean, nextCursor: Schema.NullOr(Schema.String) }

export const request = (
  fields: { readonly limit?: number; readonly cursor?: string },
  usual = defaultLimit
): Effect.Effect<Request, InvalidRequest> =>
  Effect.gen(function* () {
    const limit = fields.limit ?? usual
    if (fields.cursor === undefined) return { limit }
    const cutAt = fields.cursor.indexOf("_")
    const createdAt = DateTime.make(Number(fields.cursor.slice(0, cutAt)))
    if (createdAt._tag === "None") {
      return yield* new InvalidRequest({
        param: "cursor",
        message: "cursor is invalid; pass the nextCursor of the previous page unchanged."
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

/** What the page of a list is read by: whose rows, which of them, and as of when. */
export interface ListCall<Filter> {
  readonly accountId: string
  readonly filter: Filter
  readonly request: Request
  readonly now: DateTime.Utc
}

/** How the rows of a page are shown: one by one, or all at once where that reads the records again. */
type Shape<Row, Output, Filter, Needs> =
  | { readonly view: (row: Row, call: ListCall<Filter>) => Output; readonly views?: never }
  | {
      readonly view?: never
      readonly views: (
        rows: ReadonlyArray<Row>
      ) => Effect.Effect<ReadonlyArray<Output>, never, Needs>
    }

/** A read that answers in pages under one key; `input` names what is asked for beside a page. */
export const list = <
  const Name extends string,
  const Key extends string,
  const Fields extends Schema.Struct.Fields,
  Row,
  Needs,
  const Input extends Schema.Struct.Fields = Record<never, never>,
  Showing = never
>(
  name: Name,
  definition: Pick<Facts, "summary" | "next" | "scope"> & {
    readonly key: Key
    readonly fields: Fields
    readonly input?: Input
    /** How many rows it answers with unless asked. */
    readonly defaultLimit?: number
    readonly page: (
      call: ListCall<Schema.Struct<NoInfer<Input>>["Type"]>
    ) => Effect.Effect<Page<Row>, InvalidRequest, Needs>
  } & Shape<
      Row,
      Schema.Struct<NoInfer<Fields>>["Type"],
      Schema.Struct<NoInfer<Input>>["Type"],
      Showing
    >
) => {
  const { defaultLimit, fields, key, next, page, scope, summary, view, views } = definition
  const listed = { [key]: Schema.Array(Schema.Struct(fields)) } as {
    readonly [One in Key]: Schema.$Array<Schema.Struct<Fields>>
  }
  return make(name, {
    summary,
    next,
    scope,
    input: { ...(definition.input as Input), ...inputOf(defaultLimit) },
    output: { ...listed, ...output },
    handle: Effect.fnUntraced(function* ({ cursor, limit, ...filter }) {
      const { accountId } = yield* Caller
      const asked = {
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor })
      }
      const call = {
        accountId,
        filter: filter as Schema.Struct<Input>["Type"],
        request: yield* request(asked, defaultLimit),
        now: yield* DateTime.now
      }
      const found = yield* page(call)
      const rows =
        views === undefined ? found.rows.map((row) => view(row, call)) : yield* views(found.rows)
      // The key is computed, so the compiler cannot see that it is there.
      return { [key]: rows, ...answer(found) } as Schema.Struct<
        typeof listed & typeof output
      >["Type"]
    })
  })
}
