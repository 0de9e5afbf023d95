/** Serves the page of one thing at its address; what it shows is read as operations answer it. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { NotFound, Refusal } from "../../../../core/operation/refusal.ts"
import type { Needs } from "../../../../core/treasury/treasury.ts"
import { consolePage, guarded, type Visit } from "./guard.ts"
import { type Columns, rowsOf } from "./list.ts"
import { refreshing } from "./live.ts"
import type { Part, ThingProps } from "./thing-page.tsx"

const { Thing } = await import("./thing-page.tsx")

/** A part of a page that is a table. */
export const tableOf = <One>(
  title: string,
  none: string,
  columns: Columns<One>,
  rows: ReadonlyArray<One>,
  idOf: (row: One) => string
): Part => ({
  title,
  label: title,
  none,
  names: Object.keys(columns),
  rows: rowsOf(columns, rows, idOf, undefined)
})

export const thing = (
  at: `/console/${string}/:id`,
  shown: (
    visit: Visit,
    id: string
  ) => Effect.Effect<
    Omit<ThingProps, "who">,
    Refusal | NotFound,
    Needs | HttpServerRequest.HttpServerRequest
  >
) =>
  guarded(at, (visit, id) =>
    Effect.map(shown(visit, id), (props) =>
      consolePage(props.title, Thing({ ...props, who: visit.who }), refreshing(props.live))
    )
  )

const pagesRead = 10

/**
 * A row of a list whose operation has no single one, looked for in its newest thousand. Fails with NOT_FOUND if it
 * is not among them.
 */
export const among = <One, E, R>(
  read: (page: {
    readonly limit: number
    readonly cursor?: string
  }) => Effect.Effect<
    { readonly rows: ReadonlyArray<One>; readonly nextCursor: string | null },
    E,
    R
  >,
  isIt: (row: One) => boolean
): Effect.Effect<One | undefined, E, R> =>
  Effect.gen(function* () {
    let cursor: string | null | undefined
    for (let read_ = 0; read_ < pagesRead && cursor !== null; read_++) {
      const page: { rows: ReadonlyArray<One>; nextCursor: string | null } = yield* read({
        limit: 100,
        ...(cursor === undefined ? {} : { cursor })
      })
      const found = page.rows.find(isIt)
      if (found !== undefined) return found
      cursor = page.nextCursor
    }
    return undefined
  })
