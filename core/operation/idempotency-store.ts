/**
 * The store of idempotency keys. A reservation commits on its own before the work; the answer is
 * recorded in the transaction of the work, so a call either happened with its answer or did not.
 */
import { Context, type DateTime, type Effect } from "effect"

/** Account and operation scope a key; the fingerprint is of the canonical input. */
export interface Slot {
  readonly accountId: string
  readonly operation: string
  readonly key: string
}

export interface Reservation extends Slot {
  readonly fingerprint: string
  /** The key or the person that calls. */
  readonly calledBy: string
  /** Who holds it; a taken over reservation has another holder. */
  readonly leaseOwner: string
  readonly now: DateTime.Utc
  readonly leaseEndsAt: DateTime.Utc
}

export interface StoredResponse {
  /** The encoded output as JSON text, its secrets taken out. */
  readonly body: string
  /** The secrets, sealed, as JSON text; null when there are none or they were erased. */
  readonly sealedSecrets: string | null
  readonly secretsEraseAt: DateTime.Utc | null
}

export type ReserveResult =
  | { readonly _tag: "reserved" }
  /** `calledBy` is who called first; null for what was reserved before it was written down. */
  | {
      readonly _tag: "running"
      readonly leaseEndsAt: DateTime.Utc
      readonly calledBy: string | null
    }
  | { readonly _tag: "answered"; readonly answer: StoredResponse; readonly calledBy: string | null }
  | { readonly _tag: "mismatched"; readonly isAnswered: boolean }

/** The operations whose answers are kept for ever. */
export interface Kept {
  readonly whole: ReadonlyArray<string>
  /** Of an old answer no more than which proposal it told of, if it did. */
  readonly short: ReadonlyArray<string>
}

export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Takes the slot, takes over one whose lease ended, or tells what stands in it. */
    readonly reserve: (reservation: Reservation) => Effect.Effect<ReserveResult>
    /** Whether anything stands in the slot, running or answered. */
    readonly isTaken: (slot: Slot) => Effect.Effect<boolean>
    /** Records the answer; false when the reservation was taken over meanwhile: the work must roll back. */
    readonly answer: (
      slot: Slot,
      leaseOwner: string,
      answer: StoredResponse
    ) => Effect.Effect<boolean>
    /** Frees the slot after a refusal that changed nothing. */
    readonly release: (slot: Slot, leaseOwner: string) => Effect.Effect<void>
    readonly renew: (
      slot: Slot,
      leaseOwner: string,
      leaseEndsAt: DateTime.Utc
    ) => Effect.Effect<void>
    /** Erases at most `max` sealed secrets that are due; returns how many. */
    readonly eraseSecrets: (now: DateTime.Utc, max: number) => Effect.Effect<number>
    /** Erases what is sealed in the answers to these callers; returns how many it was. */
    readonly eraseSecretsOf: (
      accountId: string,
      callers: ReadonlyArray<string>
    ) => Effect.Effect<number>
    /**
     * Forgets at most `max` keys reserved before this that were answered or that nobody holds since, but for those of
     * the operations to keep; returns how many.
     */
    readonly forget: (
      before: DateTime.Utc,
      keep: ReadonlyArray<string>,
      max: number
    ) => Effect.Effect<number>
    /**
     * Puts away at most `max` keys of what is kept for ever that were reserved before this, each once; returns how many.
     * One that nobody answered nor holds since is forgotten: nothing was done under it.
     */
    readonly putAway: (before: DateTime.Utc, kept: Kept, max: number) => Effect.Effect<number>
  }
>()("bursar/operation/Idempotency") {}
