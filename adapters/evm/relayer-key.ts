/** The relayer's key: it pays gas, holds no USDC, and signs no more than the transactions made here. */
import { Effect } from "effect"
import { publicKeyToAddress } from "viem/accounts"
import { bytesToHex, hexToBytes } from "viem/utils"
import type { KeyBackend } from "../../core/ports/key-backend.ts"
import type { Address } from "./contract.ts"

type Hex = `0x${string}`

export interface RelayerKey {
  /** Checksummed. */
  readonly address: Effect.Effect<Address>
  /** 65 bytes: r, s and 27 or 28. */
  readonly sign: (digest: Hex) => Effect.Effect<Hex>
}

/** The checksummed address of an uncompressed point. */
export const addressOf = (publicKey: Uint8Array): Address =>
  publicKeyToAddress(bytesToHex(publicKey))

/** The same key has the same address: it is worked out once, and asked for several times a send. */
const remembering = () => {
  let known: { readonly publicKey: Uint8Array; readonly address: Address } | undefined
  return (publicKey: Uint8Array): Address => {
    if (known === undefined || Buffer.compare(known.publicKey, publicKey) !== 0) {
      known = { publicKey: publicKey.slice(), address: addressOf(publicKey) }
    }
    return known.address
  }
}

export const relayerKey = (backend: KeyBackend, ref: string): RelayerKey => ({
  address: Effect.map(
    Effect.suspend(() => backend.publicKeyOf("secp256k1", ref)),
    remembering()
  ),
  sign: (digest) =>
    Effect.map(
      Effect.suspend(() => backend.sign("secp256k1", ref, hexToBytes(digest))),
      (signature) => bytesToHex(signature)
    )
})
