/** The store of webhook endpoints. */
import { Context, type DateTime, type Effect } from "effect"
import type { NoticeType } from "../notices/notice.ts"
import type * as Page from "../operation/page.ts"
import type { Endpoint, Health, Subscribable } from "./endpoint.ts"

export class WebhookEndpoints extends Context.Service<
  WebhookEndpoints,
  {
    readonly register: (endpoint: Endpoint) => Effect.Effect<void>
    readonly find: (accountId: string, endpointId: string) => Effect.Effect<Endpoint | undefined>
    /** The same, taken for the running transaction: whoever else would change it waits. */
    readonly hold: (accountId: string, endpointId: string) => Effect.Effect<Endpoint | undefined>
    readonly list: (accountId: string, request: Page.Request) => Effect.Effect<Page.Page<Endpoint>>
    /** The account's endpoints that one of these has registered, the newest first. */
    readonly registeredBy: (
      accountId: string,
      callers: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Endpoint>>
    /** Writes a whole endpoint back, without its health. */
    readonly revise: (endpoint: Endpoint) => Effect.Effect<void>
    /** Takes it off the list: nothing is claimed for it any more. False when it is not the account's. */
    readonly remove: (
      accountId: string,
      endpointId: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** The endpoints that want a type of events or notices, disabled ones too. */
    readonly subscribed: (
      accountId: string,
      type: Subscribable | NoticeType
    ) => Effect.Effect<ReadonlyArray<Endpoint>>
    /** Counts a failed attempt; how the endpoint fares with it. */
    readonly noteFailure: (endpointId: string, at: DateTime.Utc) => Effect.Effect<Health>
    /** Only for whoever has just counted a failure, in the same transaction. */
    readonly noteFailing: (endpointId: string, since: DateTime.Utc) => Effect.Effect<void>
    /** Forgets the failures; whether the endpoint was failing. */
    readonly noteSuccess: (endpointId: string) => Effect.Effect<boolean>
    /** Erases at most `max` secrets of before a rotation whose grace is over; how many there were. */
    readonly forgetSecrets: (now: DateTime.Utc, max: number) => Effect.Effect<number>
    readonly count: (accountId: string) => Effect.Effect<number>
  }
>()("bursar/webhooks/WebhookEndpoints") {}
