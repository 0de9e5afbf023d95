/**
 * Lists in pages, and the operation that answers with one. Every list is newest first in the stable order
 * (createdAt, id); a cursor names the last row seen, so rows that arrive while a caller pages are never
 * skipped nor shown twice.
 */
import { Clock, Context, DateTime, Effect, Exit, Schema } from "effect"
import { joined } from "../encoding/joined.ts"
import * as Timestamp from "../time/timestamp.ts"
import { Caller, type Facts as CallerFacts } from "./caller.ts"
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
  /** Only rows of this time: from `since` on, and before `until`. */
  readonly since?: DateTime.Utc
  readonly until?: DateTime.Utc
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

/** Whether a row is of the time that is asked for. */
export const isWithin = ({ createdAt }: Position, { since, until }: Request): boolean =>
  (since === undefined || DateTime.isGreaterThanOrEqualTo(createdAt, since)) &&
  (until === undefined || DateTime.isLessThan(createdAt, until))

/** Two more input fields, of lists that can be narrowed to a time. */
export const times = {
  since: Schema.optionalKey(
    Timestamp.Input.annotate({ description: "Created at or after this time." })
  ),
  until: Schema.optionalKey(Timestamp.Input.annotate({ description: "Created before this time." }))
}

type Times = Pick<Request, "since" | "until">

/** The same page of the rows of a time only. */
export const during = (
  request: Request,
  { since, until }: { readonly [Time in keyof Times]?: DateTime.Utc | undefined }
): Effect.Effect<Request, InvalidRequest> => {
  if (since === undefined && until === undefined) return Effect.succeed(request)
  return since !== undefined && until !== undefined && DateTime.isLessThanOrEqualTo(until, since)
    ? Effect.fail(
        new InvalidRequest({ param: "until", message: "until must be later than since." })
      )
    : Effect.succeed({
        ...request,
        ...(since === undefined ? {} : { since }),
        ...(until === undefined ? {} : { until })
      })
}

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

/** The two input fields every list takes, with as many rows as it answers with unless asked, and at most. */
export const inputOf = (usual = defaultLimit, most = maxLimit) => ({
  limit: Schema.optionalKey(Limit(most, usual)),
  cursor: Schema.optionalKey(Cursor)
})

export const input = inputOf()

/** The two output fields beside every list. */
export const output = { hasMore: Schema.Boolean, nextCursor: Schema.NullOr(Schema.String) }

const badCursor = "cursor is invalid; pass the nextCursor of the previous page unchanged."

interface Asked {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** The page that is asked for, or why there is none. */
const pageOf = ({ cursor, limit }: Asked, usual = defaultLimit): Request | InvalidRequest => {
  if (cursor === undefined) return { limit: limit ?? usual }
  const cutAt = cursor.indexOf("_")
  const createdAt = DateTime.make(Number(cursor.slice(0, cutAt)))
  if (createdAt._tag === "None") {
    return new InvalidRequest({ param: "cursor", message: badCursor })
  }
  const after = { createdAt: DateTime.toUtc(createdAt.value), id: cursor.slice(cutAt + 1) }
  return { limit: limit ?? usual, after }
}

export const request = (
  fields: Asked,
  usual = defaultLimit
): Effect.Effect<Request, InvalidRequest> => {
  const page = pageOf(fields, usual)
  return page instanceof InvalidRequest ? Effect.fail(page) : Effect.succeed(page)
}

export const answer = (page: Page<unknown>) => ({
  hasMore: page.next !== undefined,
  nextCursor:
    page.next === undefined
      ? null
      : joined(`${DateTime.toEpochMillis(page.next.createdAt)}_`, page.next.id)
})

/** What was asked for, where nothing is wrong with it. */
export const known = <A>(asked: Effect.Effect<A, InvalidRequest>): A | undefined =>
  Exit.isExit(asked) && Exit.isSuccess(asked) ? (asked.value as A) : undefined

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

/** One list, asked for in a context. Most are told without the time, so it is read where it is looked at. */
class Called<Filter> implements ListCall<Filter> {
  readonly accountId: string
  readonly filter: Filter
  readonly request: Request
  readonly #clock: Clock.Clock
  #now: DateTime.Utc | undefined

  constructor(
    context: Context.Context<never>,
    { accountId }: CallerFacts,
    filter: Filter,
    request: Request
  ) {
    this.accountId = accountId
    this.filter = filter
    this.request = request
    this.#clock = Context.get(context, Clock.Clock)
  }

  get now(): DateTime.Utc {
    this.#now ??= DateTime.makeUnsafe(this.#clock.currentTimeMillisUnsafe())
    return this.#now
  }
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
    /** The same page where it is at hand. */
    readonly atHand?: (
      call: ListCall<Schema.Struct<NoInfer<Input>>["Type"]>,
      context: Context.Context<NoInfer<Needs>>
    ) => Page<Row> | undefined
  } & Shape<
      Row,
      Schema.Struct<NoInfer<Fields>>["Type"],
      Schema.Struct<NoInfer<Input>>["Type"],
      Showing
    >
) => {
  const { atHand, defaultLimit, fields, key, next, page, scope, summary, view, views } = definition
  const listed = { [key]: Schema.Array(Schema.Struct(fields)) } as {
    readonly [One in Key]: Schema.$Array<Schema.Struct<Fields>>
  }
  const told = (found: Page<Row>, rows: ReadonlyArray<unknown>) => {
    // Put into what is there: an object written with a computed key is slow to make.
    const all: Record<string, unknown> = answer(found)
    all[key] = rows
    // The key is computed, so the compiler cannot see that it is there.
    return all as Schema.Struct<typeof listed & typeof output>["Type"]
  }
  type Wanted = Schema.Struct<Input>["Type"]
  const divided = (given: unknown) => {
    const { cursor, limit, ...filter } = given as Asked & Wanted
    return { asked: { cursor, limit }, filter: filter as unknown as Wanted }
  }
  return make(name, {
    summary,
    next,
    scope,
    input: { ...(definition.input as Input), ...inputOf(defaultLimit) },
    output: { ...listed, ...output },
    atHand: (given, caller, context) => {
      if (atHand === undefined || view === undefined) return undefined
      const { asked, filter } = divided(given)
      const page = pageOf(asked, defaultLimit)
      if (page instanceof InvalidRequest) return undefined
      const call = new Called(context, caller, filter, page)
      const found = atHand(call, context as Context.Context<Needs>)
      if (found === undefined) return undefined
      const rows = found.rows.map((row) => view(row, call))
      return told(found, rows)
    },
    handle: (given) => {
      const { asked, filter } = divided(given)
      return Effect.flatMapEager(request(asked, defaultLimit), (request) =>
        Effect.contextWith((context: Context.Context<Caller>) => {
          const call = new Called(context, Context.get(context, Caller), filter, request)
          return Effect.flatMap(page(call), (found) =>
            views === undefined
              ? Effect.succeed(
                  told(
                    found,
                    found.rows.map((row) => view(row, call))
                  )
                )
              : Effect.map(views(found.rows), (rows) => told(found, rows))
          )
        })
      )
    }
  })
}
