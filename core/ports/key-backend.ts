/**
 * What holds private keys: the seed in this process, or a key management service far away. It tells public
 * keys and signs bytes; no private key leaves it. A backend that cannot be reached is a defect, and what was to
 * be signed is tried again.
 */
import type { Effect } from "effect"
import type { Curve } from "../chains/key.ts"

/** A key for a new wallet. */
export interface OpenedKey {
  readonly ref: string
  /** Whether the same id finds the same key again when all records are lost. */
  readonly isRecoverable: boolean
}

export interface KeyBackend {
  /** Its name in `Wallet.key.backend`. */
  readonly name: string
  /** The key for a derived id (62 hex digits); asked again, it is the same one. */
  readonly open: (curve: Curve, id: string) => Effect.Effect<OpenedKey>
  /** On secp256k1 the uncompressed point, 65 bytes; on ed25519 the 32 bytes. */
  readonly publicKeyOf: (curve: Curve, ref: string) => Effect.Effect<Uint8Array>
  /**
   * On secp256k1 over a digest of 32 bytes as it is: r, s in the lower half of the curve's order, and 27 or 28,
   * 65 bytes. On ed25519 over any bytes: 64 bytes.
   */
  readonly sign: (curve: Curve, ref: string, bytes: Uint8Array) => Effect.Effect<Uint8Array>
}
