/** The store of letters. A letter ends once: sent, failed or void, and then says nothing any more. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Letter, Purpose } from "./letter.ts"

/** How a letter ends. */
export interface End {
  readonly status: "sent" | "failed"
  readonly at: DateTime.Utc
  readonly error: string | null
}

export class Letters extends Context.Service<
  Letters,
  {
    readonly write: (letter: Letter) => Effect.Effect<void>
    readonly find: (letterId: string) => Effect.Effect<Letter | undefined>
    /** Those of all accounts that stand so, or all; for the operator alone. */
    readonly list: (
      status: Letter["status"] | undefined,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Letter>>
    /** Counts an attempt and gives the letter as it then is; undefined when it has ended. */
    readonly attempt: (letterId: string) => Effect.Effect<Letter | undefined>
    /** Notes why an attempt failed; what has ended stays as it is. */
    readonly stumble: (letterId: string, error: string) => Effect.Effect<void>
    /** Ends a queued letter and erases its text; false when it had ended before. */
    readonly end: (letterId: string, end: End) => Effect.Effect<boolean>
    /** Makes an account's queued letters of one purpose void and erases their texts. */
    readonly revoke: (accountId: string, purpose: Purpose, at: DateTime.Utc) => Effect.Effect<void>
  }
>()("bursar/mail/Letters") {}
