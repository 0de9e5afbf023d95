/**
 * What the queues have in common: a row is claimed under a lease, which its holder extends while it works.
 * A lease that has ended may be claimed by anybody, and its token fences whatever the last holder writes.
 */
import type { DateTime, Effect } from "effect"

/** A row that somebody holds: its key, and the token it was claimed under. */
export interface HeldLease {
  readonly id: string
  readonly lease: string
}

export interface Renewal {
  readonly held: ReadonlyArray<HeldLease>
  readonly now: DateTime.Utc
  /** How long they hold from now on. */
  readonly leaseMs: number
}

/**
 * Extends leases that are still current, all in one statement, and gives the tokens of those it extended.
 * A row that somebody is writing to at this moment is passed over and not waited for. Stores that replicas
 * share tell the time of leases by their own clock, which `now` is not.
 */
export type Renew = (renewal: Renewal) => Effect.Effect<ReadonlyArray<string>>

/** Gives back what is still held before its lease ends: it is claimed anew, and no late beat extends it. */
export type Release = (held: ReadonlyArray<HeldLease>) => Effect.Effect<void>
