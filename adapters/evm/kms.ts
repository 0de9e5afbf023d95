/**
 * Keys that a key management service holds and never gives away. What it answers is believed only as far
 * as it can be checked: a signature that does not recover to the key's own address is refused.
 */
import { Effect } from "effect"
import { publicKeyToAddress } from "viem/accounts"
import { hexToBytes, numberToHex, recoverAddress } from "viem/utils"
import type { Address } from "./contract.ts"
import * as Der from "./der.ts"
import { checkedIndex, type Holders } from "./holder.ts"

type Hex = `0x${string}`

/** What is asked of a service; keys are named, and are ECDSA keys on secp256k1 made for signing digests. */
export interface Client {
  /** The public key in SPKI form, DER. */
  readonly publicKeyOf: (name: string, signal: AbortSignal) => Promise<Uint8Array>
  /** An ECDSA signature in DER over these 32 bytes as they are, not hashed again. */
  readonly sign: (name: string, digest: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>
}

export interface Options {
  /** Before every name: `<prefix>-wallet-<index>` and `<prefix>-relayer`. */
  readonly prefix: string
  /** How long one call may take. Default 10 s. */
  readonly timeoutMs?: number
}

/** With its recovery id found by trying both; throws when it is another key's or over something else. */
const recoverable = async (der: Uint8Array, digest: Hex, address: Address): Promise<Hex> => {
  const { r, s } = Der.lowered(Der.signature(der))
  const [rHex, sHex] = [numberToHex(r, { size: 32 }), numberToHex(s, { size: 32 })]
  for (const v of ["1b", "1c"] as const) {
    const signature: Hex = `${rHex}${sHex.slice(2)}${v}`
    const recovered = await recoverAddress({ hash: digest, signature }).catch(() => undefined)
    if (recovered === address) return signature
  }
  throw new Error(`The key management service did not sign with the key of ${address}.`)
}

/** The keys of wallets and of the relayer by name. Addresses are asked for once. */
export const holders = (client: Client, { prefix, timeoutMs = 10_000 }: Options): Holders => {
  const known = new Map<string, Address>()

  const asked = <A>(call: (signal: AbortSignal) => Promise<A>) =>
    Effect.promise(call).pipe(Effect.timeout(timeoutMs), Effect.orDie)

  const addressOf = Effect.fnUntraced(function* (name: string) {
    const kept = known.get(name)
    if (kept !== undefined) return kept
    const spki = yield* asked((signal) => client.publicKeyOf(name, signal))
    const address = yield* Effect.sync(() => publicKeyToAddress(Der.publicKey(spki)))
    known.set(name, address)
    return address
  })

  const sign = Effect.fnUntraced(function* (name: string, digest: Hex) {
    const address = yield* addressOf(name)
    const der = yield* asked((signal) => client.sign(name, hexToBytes(digest), signal))
    return yield* Effect.promise(() => recoverable(der, digest, address))
  })

  const walletName = (ref: string) => `${prefix}-wallet-${checkedIndex(Number(ref))}`
  const relayerName = `${prefix}-relayer`
  return {
    wallets: {
      backend: "kms",
      refAt: String,
      addressOf: (ref) => Effect.suspend(() => addressOf(walletName(ref))),
      sign: (ref, digest) => Effect.suspend(() => sign(walletName(ref), digest))
    },
    relayer: { address: addressOf(relayerName), sign: (digest) => sign(relayerName, digest) }
  }
}
