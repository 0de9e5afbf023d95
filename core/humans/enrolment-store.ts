/** The store of one-time enrolment links; it holds digests, never tokens. */
import { Context, type DateTime, type Effect } from "effect"
import type { Enrolment, Purpose } from "./enrolment.ts"

export class Enrolments extends Context.Service<
  Enrolments,
  {
    readonly issue: (enrolment: Enrolment, digest: string) => Effect.Effect<void>
    /** Finds one by the digest of its token, ended and expired ones too. */
    readonly findByDigest: (digest: string) => Effect.Effect<Enrolment | undefined>
    readonly find: (enrolmentId: string) => Effect.Effect<Enrolment | undefined>
    /** Ends it, once; false when it has ended before. Undone with its transaction. */
    readonly use: (enrolmentId: string, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Ends all of an account for one purpose; how many there were. */
    readonly withdraw: (
      accountId: string,
      purpose: Purpose,
      at: DateTime.Utc
    ) => Effect.Effect<number>
    /** Forgets at most `max` of those that ran out before an instant; how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/humans/Enrolments") {}
