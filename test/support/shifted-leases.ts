/** Lets a process see the leases in a database as they will be after a while: its clock stands ahead, and so does theirs. */
import { Effect } from "effect"
import { LeaseClock } from "../../adapters/postgres/leases.ts"

/** Runs work that opens stores; `aheadMs` is asked at each statement. */
export const provide =
  (aheadMs: () => number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(
      work,
      LeaseClock,
      (sql) =>
        sql`(statement_timestamp() + ${Math.round(aheadMs())}::bigint * interval '1 millisecond')`
    )
