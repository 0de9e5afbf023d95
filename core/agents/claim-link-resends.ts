/** When each account asked for its claim link to be sent again. */
import { Context, type DateTime, type Effect } from "effect"

export class ClaimLinkResends extends Context.Service<
  ClaimLinkResends,
  {
    /** When it was asked lately; nobody else reads or writes it until the transaction ends. */
    readonly lock: (accountId: string) => Effect.Effect<ReadonlyArray<DateTime.Utc>>
    /** Writes down when it was asked, in place of what stood there. */
    readonly note: (accountId: string, askedAt: ReadonlyArray<DateTime.Utc>) => Effect.Effect<void>
  }
>()("bursar/agents/ClaimLinkResends") {}
