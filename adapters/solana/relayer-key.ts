/**
 * The relayer's key: it pays fees, lends rent, holds no USDC, and signs
 * no more than transactions made here and plain payments of payers (`plain-payment.ts`).
 */
import { Effect } from "effect"
import { Address } from "../../core/chains/address.ts"
import type { KeyBackend } from "../../core/ports/key-backend.ts"
import { addressOf } from "./address.ts"

export interface RelayerKey {
  readonly address: Effect.Effect<Address>
  /** 64 bytes. */
  readonly sign: (message: Uint8Array) => Effect.Effect<Uint8Array>
}

export const relayerKey = (backend: KeyBackend, ref: string): RelayerKey => ({
  address: Effect.map(
    Effect.suspend(() => backend.publicKeyOf("ed25519", ref)),
    (publicKey) => Address.make(addressOf(publicKey))
  ),
  sign: (message) => Effect.suspend(() => backend.sign("ed25519", ref, message))
})
