/** The blocks of tables and indexes that PostgreSQL reads for a call, which depend on no machine and no load. */
import { Clock, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export interface Measured {
  readonly name: string
  /** Of one call, or of each of many that were done at once. */
  readonly blocks: number
  readonly ms: number
  /** How many were done at once, where it is of each of them. */
  readonly atOnce?: number | undefined
  /** What stands in the way of a figure, where there is none. */
  readonly trouble?: string | undefined
}

const total = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // What the only session has counted is handed in when it is next idle.
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly blocks: number }>`
    select sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0)
      + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)
      + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0))::float8 as blocks
    from pg_statio_user_tables`
  return row?.blocks ?? 0
})

const message = (error: unknown) =>
  error instanceof Error ? error.message.split("\n")[0] : String(error)

export interface Subject<R> {
  readonly name: string
  readonly work: Effect.Effect<unknown, unknown, R>
  /** How often it is done, after one time that plans; once and at once when left out. */
  readonly times?: number | undefined
  /** Over so much its cost is shared; over as many as it answers with when it is `rows`. */
  readonly per?: number | "rows" | undefined
  /** So much it has to answer with in all, or it had nothing to do and has no figure. */
  readonly finds?: number | undefined
  /** Comes before each time and is not counted. */
  readonly before?: Effect.Effect<unknown, unknown, R> | undefined
}

/** What fails is told and measured no further, so that the rest is. */
export const measure = <R>(subject: Subject<R>) =>
  Effect.gen(function* () {
    const { before = Effect.void, finds = 0, per = 1, times, work } = subject
    if (times !== undefined) yield* Effect.andThen(before, work)
    let [blocks, takenMs, rows] = [0, 0, 0]
    for (let count = 0; count < (times ?? 1); count++) {
      yield* before
      const [from, beganMs] = [yield* total, yield* Clock.currentTimeMillis]
      rows += Number(yield* work)
      takenMs += (yield* Clock.currentTimeMillis) - beganMs
      blocks += (yield* total) - from
    }
    if (finds > 0 && !(rows >= finds)) {
      return yield* Effect.die(new Error(`found ${rows} of ${finds} to do`))
    }
    const share = per === "rows" ? Math.max(rows, 1) : (times ?? 1) * per
    return {
      name: subject.name,
      blocks: blocks / share,
      ms: takenMs / share,
      atOnce: per === "rows" && rows > 1 ? rows : undefined
    } satisfies Measured as Measured
  }).pipe(
    Effect.catchCause((cause) => {
      const [reason] = cause.reasons
      const error = reason === undefined ? cause : "error" in reason ? reason.error : reason
      const trouble = message(
        "defect" in (error as object) ? (error as { defect: unknown }).defect : error
      )
      return Effect.succeed<Measured>({
        name: subject.name,
        blocks: Number.NaN,
        ms: Number.NaN,
        trouble
      })
    })
  )
