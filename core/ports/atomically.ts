/**
 * All or nothing. Every write of an operation happens inside one `run`; what others must hear of is
 * told by `afterCommit`, which never speaks of a change that was rolled back.
 */
import { Context, type Effect } from "effect"

export class Atomically extends Context.Service<
  Atomically,
  {
    /** Runs the writes of `work` in one transaction; any failure, defect or interruption undoes them. Joins a running one. */
    readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs `work` once the transaction has committed, at once outside of one; drops it on rollback. */
    readonly afterCommit: (work: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("bursar/ports/Atomically") {}
