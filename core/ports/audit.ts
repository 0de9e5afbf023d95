/** The audit book: appended in the transaction of the change it tells of, never changed. */
import { Context, type Effect } from "effect"
import type { Entry } from "../audit/entry.ts"
import type * as Page from "../page.ts"

export class Audit extends Context.Service<
  Audit,
  {
    readonly append: (entry: Entry) => Effect.Effect<void>
    readonly list: (accountId: string, request: Page.Request) => Effect.Effect<Page.Page<Entry>>
  }
>()("bursar/ports/Audit") {}
