/** The store of provisioning jobs. */
import { Context, type DateTime, type Effect } from "effect"
import type { Item, Job } from "./provisioning-job.ts"

export class Provisioning extends Context.Service<
  Provisioning,
  {
    readonly queue: (job: Job, items: ReadonlyArray<Item>) => Effect.Effect<void>
    readonly find: (accountId: string, jobId: string) => Effect.Effect<Job | undefined>
    /** Reads a job over all accounts and keeps others from it until the transaction ends. */
    readonly lock: (jobId: string) => Effect.Effect<Job | undefined>
    /** Items from a place on, in order. */
    readonly items: (
      jobId: string,
      fromPosition: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Item>>
    readonly pending: (jobId: string, limit: number) => Effect.Effect<ReadonlyArray<Item>>
    /** Writes finished items and the job's new counts and status. */
    readonly progress: (job: Job, items: ReadonlyArray<Item>) => Effect.Effect<void>
    /**
     * Forgets jobs made before an instant that have ended, the oldest first, with their items: at most `max` rows
     * of both, but one job always. How many rows; `max` or more when there may be more.
     */
    readonly forget: (madeBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/payments/Provisioning") {}
