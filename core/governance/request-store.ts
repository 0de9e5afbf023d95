/** The store of governance requests: what a human asked for and has yet to sign. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { GovernanceRequest } from "./request.ts"

export class GovernanceRequests extends Context.Service<
  GovernanceRequests,
  {
    readonly store: (request: GovernanceRequest) => Effect.Effect<void>
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
    /** Those that wait for a signature and have not run out, and the scheduled ones, newest first. */
    readonly open: (
      accountId: string,
      now: DateTime.Utc,
      request: Page.Request
    ) => Effect.Effect<Page.Page<GovernanceRequest>>
  }
>()("bursar/governance/GovernanceRequests") {}
