/** The stores of governance requests and of challenges. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Challenge } from "./challenge.ts"
import type { GovernanceRequest } from "./request.ts"

/** The store of governance requests: what a human asked for and has yet to sign. */
export class GovernanceRequests extends Context.Service<
  GovernanceRequests,
  {
    readonly store: (request: GovernanceRequest) => Effect.Effect<void>
    readonly find: (
      accountId: string,
      requestId: string
    ) => Effect.Effect<GovernanceRequest | undefined>
    /** Reads it and keeps others from changing it until the transaction ends. */
    readonly lock: (
      accountId: string,
      requestId: string
    ) => Effect.Effect<GovernanceRequest | undefined>
    /** Writes the status of a locked one back. */
    readonly move: (request: GovernanceRequest) => Effect.Effect<void>
    /** Ids of those that wait for a signature and that one of these keys has asked for, run out or not. */
    readonly pendingBy: (
      accountId: string,
      keyIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** How many `open` gives, but at most `max`. */
    readonly countOpen: (accountId: string, now: DateTime.Utc, max: number) => Effect.Effect<number>
    /** Those that wait for a signature and have not run out, and the scheduled ones, newest first. */
    readonly open: (
      accountId: string,
      now: DateTime.Utc,
      request: Page.Request
    ) => Effect.Effect<Page.Page<GovernanceRequest>>
  }
>()("bursar/governance/GovernanceRequests") {}

/** The store of challenges. Each is used at most once, whoever asks at the same time. */
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
