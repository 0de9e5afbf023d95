/** The book of webhook endpoints. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../page.ts"
import type { Endpoint, Subscribable } from "../webhooks/endpoint.ts"

export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    readonly register: (endpoint: Endpoint) => Effect.Effect<void>
    readonly find: (accountId: string, endpointId: string) => Effect.Effect<Endpoint | undefined>
    readonly list: (accountId: string, request: Page.Request) => Effect.Effect<Page.Page<Endpoint>>
    /** Writes a whole endpoint back. */
    readonly revise: (endpoint: Endpoint) => Effect.Effect<void>
    /** Takes it off the list and skips the deliveries that wait for it; all stay readable. False when it is not the account's. */
    readonly remove: (
      accountId: string,
      endpointId: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** The endpoints that want an event type, disabled ones too. */
    readonly subscribed: (
      accountId: string,
      type: Subscribable
    ) => Effect.Effect<ReadonlyArray<Endpoint>>
    readonly count: (accountId: string) => Effect.Effect<number>
  }
>()("bursar/ports/WebhookEndpoints") {}
