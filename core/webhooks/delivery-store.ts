/**
 * The store of deliveries, and the queue of each endpoint at once. An endpoint is held by one process under a
 * lease; a result counts only under the lease it was made under, and only as the attempt that is next.
 */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { HeldLease, Release, Renew } from "../ports/leases.ts"
import type { Attempt, Delivery, DeliveryStatus } from "./delivery.ts"
import type { EventType, MessageType } from "./endpoint.ts"
import type { Event } from "./event.ts"

export interface Filter {
  readonly status?: DeliveryStatus
  readonly endpointId?: string
  readonly eventId?: string
  readonly eventType?: MessageType
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

/** A delivery of an endpoint that is held, with everything an attempt needs. */
export interface LeasedDelivery {
  readonly delivery: Delivery
  readonly body: string
  /** The one in force, then the one before it while its grace lasts. */
  readonly sealedSecrets: ReadonlyArray<string>
  readonly standardHeaders: boolean
  /** Whether the endpoint's last attempt failed, as far as is known. */
  readonly isAiling: boolean
  /** Whether the endpoint is failing, and is sent fewer deliveries at once. */
  readonly isFailing: boolean
  /** Fencing token of its endpoint. Who holds the endpoint later has a new one, so stale results are rejected. */
  readonly lease: string
}

/** An endpoint that the asking process holds, by its id, and what the process has of it. */
export interface HeldEndpoint extends HeldLease {
  /**
   * The deliveries in its hands, which are not handed out again. A claim gives an endpoint back of which none is, and
   * for which it finds nothing.
   */
  readonly inHand: ReadonlyArray<string>
  /** How many more it wants. */
  readonly wanted: number
}

export interface LeaseRequest {
  readonly now: DateTime.Utc
  /** How long the lease of an endpoint holds when nobody extends it. */
  readonly leaseMs: number
  /** Endpoints that are held already, and of which more is wanted. */
  readonly held: ReadonlyArray<HeldEndpoint>
  /** The most endpoints that are taken under lease beside those. */
  readonly most: number
  /**
   * Of the free endpoints only this part is taken, as other processes want some too; more while what is due of those
   * before it, `maxPerEndpoint` of each, is less than `minDue`.
   */
  readonly part: number
  /** How many deliveries of one endpoint are handed out when it is taken. */
  readonly maxPerEndpoint: number
  /** The same of an endpoint that is failing. */
  readonly maxWhileFailing: number
}

/** So much is taken at once of what is due of free endpoints, however few there are. */
export const minDue = 8

export class Deliveries extends Context.Service<
  Deliveries,
  {
    readonly enqueue: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void>
    /**
     * Hands out due deliveries, those of an endpoint the longest due first. Endpoints that nobody holds are
     * taken under lease, the longest due first, but for those of which more is asked as held. A delivery that is
     * handed out for the first time gets its endpoint's next sequence, which leaves no gap but the one of another
     * line of history. In the moments in which that begins, nothing is handed out.
     */
    readonly claim: (claim: LeaseRequest) => Effect.Effect<ReadonlyArray<LeasedDelivery>>
    /**
     * Writes the attempt and the delivery's new state; false when the lease is not current or the attempt is
     * not the next one. With `releases`, the lease of the endpoint ends in the same commit.
     */
    readonly conclude: (
      lease: string,
      delivery: Delivery,
      attempt: Attempt,
      releases?: boolean
    ) => Effect.Effect<boolean>
    /** Gives endpoints back before their leases end. */
    readonly release: Release
    readonly renew: Renew
    /**
     * When the next delivery is due, after the last claim, that is not in the hands of whoever asks: those of
     * endpoints that others hold when their leases end. What was due by then had no place. Undefined when none is,
     * or when it lies behind very many that are due.
     */
    readonly nextDue: (
      claimedAt: DateTime.Utc,
      held?: ReadonlyArray<HeldEndpoint>
    ) => Effect.Effect<DateTime.Utc | undefined>
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
     * Forgets deliveries made before an instant that have ended, the oldest first, with their attempts: at most
     * `max` rows of both, but one delivery always. How many rows; `max` or more when there may be more.
     */
    readonly forget: (madeBefore: DateTime.Utc, max: number) => Effect.Effect<number>
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
  readonly type?: EventType | undefined
  readonly pid?: string | undefined
  /** Of the payment requests of one customer. */
  readonly customer?: { readonly externalId: string; readonly namespace: string } | undefined
}

/** A payment request whose next event is to be numbered, and when the request was made. */
export interface Numbered {
  readonly accountId: string
  readonly pid: string
  readonly madeAt: DateTime.Utc
}

/** The store of webhook events: written once, and forgotten by age. */
export class Events extends Context.Service<
  Events,
  {
    /**
     * The version of the next event of each of some requests, no two of them the same: 1, 2, … and on another line of
     * history above a gap. Whoever asks next for one of them waits for this transaction.
     */
    readonly nextVersions: (
      requests: ReadonlyArray<Numbered>
    ) => Effect.Effect<ReadonlyArray<number>>
    /** The ids of those that were written; of those whose id another event has, nothing is. */
    readonly append: (events: ReadonlyArray<Event>) => Effect.Effect<ReadonlySet<string>>
    readonly find: (accountId: string, eventId: string) => Effect.Effect<Event | undefined>
    /**
     * Forgets events made before an instant that no delivery is left of, the oldest first, at most `max`; how many.
     * The version of the next event of a request stays.
     */
    readonly forget: (madeBefore: DateTime.Utc, max: number) => Effect.Effect<number>
    /** Events only; notices are in no list. */
    readonly list: (
      accountId: string,
      filter: EventFilter,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Event>>
  }
>()("bursar/webhooks/Events") {}
