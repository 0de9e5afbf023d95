/**
 * The keys of wallets, whichever backend holds them: they tell addresses, and sign what the records warrant and
 * nothing else. A layer of this cannot be built without the signing policy.
 */
import { Context, type Effect } from "effect"
import type { Address, AddressKey } from "../chains/address.ts"
import type { Curve, KeyRef } from "../chains/key.ts"
import type { Order } from "./order.ts"
import type { Reclaim } from "./reclaim.ts"

export interface SignatureRequest {
  /** What the records must warrant. */
  readonly order: Order
  /** The token that the signature is for. */
  readonly token: AddressKey
  /** What is signed for that order: a digest on secp256k1, a message on ed25519. */
  readonly bytes: Uint8Array
}

export interface OpenedWalletKey {
  readonly key: KeyRef
  /** Whether the same id gives the same address again when all records are lost. */
  readonly isRecoverable: boolean
}

export class WalletKeys extends Context.Service<
  WalletKeys,
  {
    /** The key of a new wallet for a derived id (`identity.ts`), in the backend that new wallets are held by. */
    readonly open: (chainId: string, id: string) => Effect.Effect<OpenedWalletKey>
    readonly addressOf: (chainId: string, key: KeyRef) => Effect.Effect<Address>
    /** Dies with `SigningDenied`, and signs nothing, when the records do not warrant the order for this key. */
    readonly sign: (
      key: KeyRef,
      curve: Curve,
      request: SignatureRequest
    ) => Effect.Effect<Uint8Array>
    /** Signs what takes the rent of marks back; dies with `ReclaimDenied` when the records do not warrant that. */
    readonly signReclaim: (
      curve: Curve,
      reclaim: Reclaim,
      bytes: Uint8Array
    ) => Effect.Effect<Uint8Array>
  }
>()("bursar/submissions/WalletKeys") {}
