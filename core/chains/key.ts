/** A wallet's key as records name it: which backend holds it, and what that backend calls it. */

/** What a key signs on: `secp256k1` on EVM chains, `ed25519` on Solana. */
export type Curve = "secp256k1" | "ed25519"

export interface KeyRef {
  /** The backend's name; a backend that is not configured signs nothing. */
  readonly backend: string
  /** Read by that backend alone. */
  readonly ref: string
}

export const isSameKey = (one: KeyRef, other: KeyRef): boolean =>
  one.backend === other.backend && one.ref === other.ref
