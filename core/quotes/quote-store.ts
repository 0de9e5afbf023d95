/** The store of quotes. A quote is used for one proposal. */
import { Context, type DateTime, type Effect } from "effect"
import type { Quote } from "./quote.ts"

export class Quotes extends Context.Service<
  Quotes,
  {
    readonly add: (quote: Quote) => Effect.Effect<void>
    readonly find: (accountId: string, quoteId: string) => Effect.Effect<Quote | undefined>
    /** Uses it for a proposal; false when another has used it. */
    readonly bind: (quoteId: string, proposalId: string) => Effect.Effect<boolean>
    /** Deletes at most `max` that ended before; how many there were. */
    readonly forget: (expiredBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/quotes/Quotes") {}
