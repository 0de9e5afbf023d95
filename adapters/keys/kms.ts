/**
 * Keys that a key management service holds and never gives away. What it answers is believed only as far
 * as it can be checked: a signature that does not recover to the key's own public key is refused.
 */
import { Effect } from "effect"
import { bytesToHex, hexToBytes, numberToHex, recoverPublicKey } from "viem/utils"
import type { Curve } from "../../core/chains/key.ts"
import type { KeyBackend } from "../../core/ports/key-backend.ts"
import { curve as loaded } from "../loading/curve.ts"
import * as Der from "./der.ts"

type Hex = `0x${string}`

/** What is asked of a service; keys are named, and are ECDSA keys on secp256k1 made for signing digests. */
export interface Client {
  /**
   * Makes a key and gives back what the service calls it: this name, and the same key again when there is one of
   * that name; or an id of its own, when it takes no names, and then the wallet is not recoverable.
   */
  readonly make: (name: string, signal: AbortSignal) => Promise<string>
  /** The public key in SPKI form, DER. */
  readonly publicKeyOf: (name: string, signal: AbortSignal) => Promise<Uint8Array>
  /** An ECDSA signature in DER over these 32 bytes as they are, not hashed again. */
  readonly sign: (name: string, digest: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>
}

export interface Options {
  /** Before every name: `<prefix>-<derived id in base64url>` and `<prefix>-relayer`. */
  readonly prefix: string
  /** The backend's name in records. Default `kms`. */
  readonly name?: string
  /** How long one call may take. Default 10 s. */
  readonly timeoutMs?: number
}

/** With its recovery id found by trying both; throws when it is another key's or over something else. */
const recoverable = async (der: Uint8Array, digest: Hex, point: Hex): Promise<Uint8Array> => {
  await loaded.get()
  const { r, s } = Der.lowered(Der.signature(der))
  const [rHex, sHex] = [numberToHex(r, { size: 32 }), numberToHex(s, { size: 32 })]
  for (const v of ["1b", "1c"] as const) {
    const signature: Hex = `${rHex}${sHex.slice(2)}${v}`
    const recovered = await recoverPublicKey({ hash: digest, signature }).catch(() => undefined)
    if (recovered === point) return hexToBytes(signature)
  }
  throw new Error(`The key management service did not sign with the key it was asked for.`)
}

const curve = "secp256k1"

/** What a service is asked to call a key: an id in letters that every service takes in a name. */
const nameOf = (prefix: string, id: string) =>
  `${prefix}-${Buffer.from(id, "hex").toString("base64url")}`

/** What a service holds under a name of its operator's, such as the relayer's. */
export const relayerRef = ({ prefix }: Options): string => `${prefix}-relayer`

/** Keys by what the service calls them. Public keys are asked for once. */
export const backend = (
  client: Client,
  { name = "kms", prefix, timeoutMs = 10_000 }: Options
): KeyBackend => {
  const known = new Map<string, Uint8Array>()

  const asked = <A>(call: (signal: AbortSignal) => Promise<A>) =>
    Effect.promise(call).pipe(Effect.timeout(timeoutMs), Effect.orDie)

  const only = (wanted: Curve) =>
    wanted === curve ? Effect.void : Effect.die(new Error(`${name} holds no ${wanted} keys yet.`))

  const publicKeyOf = Effect.fnUntraced(function* (wanted: Curve, ref: string) {
    yield* only(wanted)
    const kept = known.get(ref)
    if (kept !== undefined) return kept
    const spki = yield* asked((signal) => client.publicKeyOf(ref, signal))
    const point = yield* Effect.sync(() => Der.publicKey(spki))
    known.set(ref, point)
    return point
  })

  return {
    name,
    publicKeyOf,
    open: Effect.fnUntraced(function* (wanted: Curve, id: string) {
      yield* only(wanted)
      const alias = nameOf(prefix, id)
      const ref = yield* asked((signal) => client.make(alias, signal))
      return { ref, isRecoverable: ref === alias }
    }),
    sign: Effect.fnUntraced(function* (wanted: Curve, ref: string, digest: Uint8Array) {
      const point = yield* publicKeyOf(wanted, ref)
      const der = yield* asked((signal) => client.sign(ref, digest, signal))
      return yield* Effect.promise(() => recoverable(der, bytesToHex(digest), bytesToHex(point)))
    })
  }
}
