/**
 * The store of deliveries, and the queue of them at once: a row is the truth of its attempts, its next
 * one and who is at it. A claim is a lease; a result counts only under the lease it was made under.
 */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Renew } from "../ports/leases.ts"
import type { Attempt, Delivery, DeliveryStatus } from "./delivery.ts"
import type { EventType } from "./endpoint.ts"
import type { Event } from "./event.ts"

export interface Filter {
  readonly status?: DeliveryStatus
  readonly endpointId?: string
  readonly eventId?: string
  readonly eventType?: EventType
  readonly sequence?: number
  /** Made at or after this. */
  readonly since?: DateTime.Utc
  /** Made before this. */
  readonly until?: DateTime.Utc
}

/** Deliveries of one endpoint that may be made anew. */
export interface Recovery {
  readonly accountId: string
  readonly endpointId: string
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
  readonly statuses: ReadonlyArray<DeliveryStatus>
}

/** A leased delivery with everything an attempt needs. */
export interface LeasedDelivery {
  readonly delivery: Delivery
  readonly body: string
  /** The one in force, then the one before it while its grace lasts. */
  readonly sealedSecrets: ReadonlyArray<string>
  readonly standardHeaders: boolean
  /** Whether the endpoint's last attempt failed, as far as is known. */
  readonly isAiling: boolean
  /** Fencing token. A later lease of the same delivery gets a new token, so stale results are rejected. */
  readonly lease: string
}

export interface LeaseRequest {
  readonly now: DateTime.Utc
  /** How long the claim holds when nobody extends it. */
  readonly leaseMs: number
  readonly most: number
  /** How many deliveries of one endpoint may be at work at once, over all replicas. */
  readonly maxPerEndpoint: number
  /** The same of an endpoint that is failing. */
  readonly maxWhileFailing: number
}

export class Deliveries extends Context.Service<
  Deliveries,
  {
    readonly enqueue: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void>
    /**
     * Takes due deliveries, the longest due first, none of an endpoint that has its most at work. One that
     * is taken for the first time gets its endpoint's next sequence, which leaves no gap.
     */
    readonly claim: (claim: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedDelivery>>
    /** Writes the attempt and the delivery's new state and ends the lease; false when the lease is not current. */
    readonly conclude: (
      lease: string,
      delivery: Delivery,
      attempt: Attempt
    ) => Effect.Effect<boolean>
    readonly renew: Renew
    /** When the next delivery is due, leases that run out included; undefined when none is waiting. */
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<DateTime.Utc | undefined>
    /**
     * Skips at most `max` deliveries that wait for an endpoint or are under way to it, and says how many;
     * an attempt may still conclude.
     */
    readonly skipWaiting: (endpointId: string, max: number) => Effect.Effect<number>
    /**
     * The same for all endpoints that were removed or disabled: nobody claims what waits for them, and to
     * readers it is skipped from that instant on.
     */
    readonly skipStranded: (max: number) => Effect.Effect<number>
    /**
     * What ended without arriving, the newest delivery of each event; without tests, and without events that
     * have arrived or are on their way to the endpoint. Unlike a list it is oldest first, and a page is cut
     * from all that ended without arriving, so that it may hold fewer rows than asked for and not be the last.
     */
    readonly recoverable: (
      recovery: Recovery,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Delivery>>
    readonly find: (
      accountId: string,
      deliveryId: string
    ) => Effect.Effect<
      | {
          readonly delivery: Delivery
          readonly attempts: ReadonlyArray<Attempt>
          readonly body: string
        }
      | undefined
    >
    readonly list: (
      accountId: string,
      filter: Filter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Delivery>>
  }
>()("bursar/webhooks/Deliveries") {}

export interface EventFilter {
  readonly type?: EventType
  readonly pid?: string
}

/** The store of webhook events, append only. */
export class Events extends Context.Service<
  Events,
  {
    /** The version of the next event of a request: 1, 2, … Whoever asks next waits for this transaction. */
    readonly nextVersion: (accountId: string, pid: string) => Effect.Effect<number>
    readonly append: (event: Event) => Effect.Effect<void>
    readonly find: (accountId: string, eventId: string) => Effect.Effect<Event | undefined>
    readonly list: (
      accountId: string,
      filter: EventFilter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Event>>
  }
>()("bursar/webhooks/Events") {}
