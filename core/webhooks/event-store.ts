/** The store of webhook events, append only. */
import { Context, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { EventType } from "./endpoint.ts"
import type { Event } from "./event.ts"

export interface Filter {
  readonly type?: EventType
  readonly pid?: string
}

export class Events extends Context.Service<
  Events,
  {
    /** The version of the next event of a request: 1, 2, … Whoever asks next waits for this transaction. */
    readonly nextVersion: (accountId: string, pid: string) => Effect.Effect<number>
    readonly append: (event: Event) => Effect.Effect<void>
    readonly find: (accountId: string, eventId: string) => Effect.Effect<Event | undefined>
    readonly list: (
      accountId: string,
      filter: Filter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Event>>
  }
>()("bursar/webhooks/Events") {}
