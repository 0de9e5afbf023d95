/** The store of challenges. Each is used at most once, whoever asks at the same time. */
import { Context, type DateTime, type Effect } from "effect"
import type { Challenge } from "./challenge.ts"

export class Challenges extends Context.Service<
  Challenges,
  {
    readonly issue: (challenge: Challenge) => Effect.Effect<void>
    readonly find: (accountId: string, challengeId: string) => Effect.Effect<Challenge | undefined>
    /** Uses it; false when it is not the account's or was used before. Undone with its transaction. */
    readonly use: (
      accountId: string,
      challengeId: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Forgets at most `max` of those that ran out before an instant and were never used; how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/governance/Challenges") {}
