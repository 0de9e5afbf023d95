/**
 * A list of the console is an operation that answers in pages, with the columns people see of it. Filters and
 * pages are the operation's own, so a list is as quick at a hundred thousand rows as at ten.
 */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Refusal } from "../../../../core/operation/refusal.ts"
import { type Name, operations } from "../../../../core/treasury/operations.ts"
import type { Calls, Needs } from "../../../../core/treasury/treasury.ts"
import { pageHeaders } from "../../site/headers.ts"
import { csvOf } from "./csv.ts"
import { consolePage, guarded, queryOf, type Visit } from "./guard.ts"
import type { Offer } from "./input.tsx"
import type { Beginning, Link } from "./listing.tsx"
import { filterFields, inputOf } from "./schema-fields.ts"
import type { Section } from "./sections.ts"
import type { Cell, Row } from "./table.tsx"

const { Listing } = await import("./listing.tsx")

export type Output<Of extends Name> = Effect.Success<ReturnType<Calls[Of]>>

/** One of the rows that a list answers with under a key. */
export type RowOf<Of extends Name, Key extends keyof Output<Of>> =
  Output<Of>[Key] extends ReadonlyArray<infer One> ? One : never

/** A column by its name; what it shows of a row is text, or a cell. */
export type Columns<One, Known = undefined> = Readonly<
  Record<string, (row: One, known: Known) => Cell | string | null>
>

const cellOf = (shown: Cell | string | null): Cell =>
  typeof shown === "string" ? { text: shown } : (shown ?? { text: "" })

export const rowsOf = <One, Known>(
  columns: Columns<One, Known>,
  rows: ReadonlyArray<One>,
  idOf: (row: One) => string,
  known: Known
): ReadonlyArray<Row> =>
  rows.map((row) => ({
    id: idOf(row),
    cells: Object.values(columns).map((column) => cellOf(column(row, known)))
  }))

interface List<Of extends Name, Key extends keyof Output<Of>, Known> {
  readonly operation: Of
  readonly key: Key
  readonly at: `/console/${string}`
  readonly section: Section
  readonly title: string
  readonly intro?: string
  /** What an answer says beside its rows. */
  readonly aside?: (answer: Output<Of>) => string | undefined
  readonly none: string
  /** Said in its place while nothing is asked for: what will be here, and what to do first. */
  readonly beginning?: Beginning
  readonly idOf: (row: RowOf<Of, Key>) => string
  readonly columns: Columns<RowOf<Of, Key>, Known>
  readonly actions?: ReadonlyArray<Link>
  /** What the rows of a page are shown with, such as names for ids. */
  readonly known: (
    visit: Visit,
    rows: ReadonlyArray<RowOf<Of, Key>>
  ) => Effect.Effect<Known, Refusal, Needs>
  /** What is asked for until somebody asks for something else. */
  readonly usual?: (visit: Visit) => Effect.Effect<Readonly<Record<string, string>>, Refusal, Needs>
  /** What may be chosen in a filter that takes an id. */
  readonly choices?: (
    visit: Visit,
    query: URLSearchParams
  ) => Effect.Effect<Readonly<Record<string, Offer>>, Refusal, Needs>
}

interface Answer {
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

const rowsOnPage = 25

const withQuery = (path: string, query: URLSearchParams, more: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams({ ...Object.fromEntries(query), ...more })}`

const asFile = (title: string, names: ReadonlyArray<string>, rows: ReadonlyArray<Row>) => {
  const file = `${title.toLowerCase().replaceAll(/[^a-z]+/gu, "-")}.csv`
  const text = csvOf(
    names,
    rows.map(({ cells }) => cells.map(({ text, whole }) => whole ?? text))
  )
  return HttpServerResponse.text(text, {
    contentType: "text/csv; charset=utf-8",
    headers: { ...pageHeaders, "content-disposition": `attachment; filename="${file}"` }
  })
}

/** Whether rows may be there that were not asked for. */
const isAsked = (asked: URLSearchParams) => [...asked.values()].some((value) => value !== "")

/** Nothing has to be known beside the rows. */
export const nothing = () => Effect.undefined

export const list = <Of extends Name, Key extends keyof Output<Of>, Known>({
  actions = [],
  aside = () => undefined,
  at,
  beginning,
  choices = () => Effect.succeed({}),
  columns,
  idOf,
  intro,
  key,
  known,
  none,
  operation: name,
  section,
  title,
  usual = () => Effect.succeed({})
}: List<Of, Key, Known>) => {
  const operation = operations.find((each) => each.name === name) as (typeof operations)[number]
  return guarded(
    at,
    Effect.fnUntraced(function* (visit: Visit) {
      const asked = queryOf(yield* HttpServerRequest.HttpServerRequest)
      const query = new URLSearchParams({ ...(yield* usual(visit)), ...Object.fromEntries(asked) })
      const input = { limit: rowsOnPage, ...inputOf(operation, query) }
      // The input is read from the operation's own schema, and judged by it again.
      const call = visit.calls[name] as (
        input: unknown
      ) => Effect.Effect<Output<Of> & Answer, Refusal, Needs>
      const read = yield* Effect.result(call(input))
      const page = read._tag === "Success" ? read.success : undefined
      const beside = page === undefined ? undefined : aside(page)
      const found = (page?.[key] ?? []) as ReadonlyArray<RowOf<Of, Key>>
      const rows = rowsOf(columns, found, idOf, yield* known(visit, found))
      const names = Object.keys(columns)
      if (query.get("format") === "csv") return asFile(title, names, rows)
      const values = Object.fromEntries(query)
      const props = {
        who: visit.who,
        section,
        title,
        intro: [intro, beside].filter((each) => each !== undefined).join(" ") || undefined,
        label: title,
        none,
        beginning: isAsked(asked) ? undefined : beginning,
        names,
        rows,
        path: at,
        actions,
        filters: filterFields(operation, { values, choices: yield* choices(visit, query) }),
        csv: withQuery(at, query, { format: "csv" }),
        next:
          page === undefined || page.nextCursor === null
            ? undefined
            : withQuery(at, query, { cursor: page.nextCursor }),
        problem: read._tag === "Failure" ? read.failure.message : undefined
      }
      return consolePage(title, Listing(props))
    })
  )
}
