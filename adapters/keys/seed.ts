/**
 * Private keys below one seed of 64 bytes, by hardened paths only (BIP-32, SLIP-0010). No key leaves this file,
 * and the same key always gives the same signature over the same bytes (RFC 6979, RFC 8032).
 */
import {
  createECDH,
  createHmac,
  createPrivateKey,
  createPublicKey,
  sign as signEd25519
} from "node:crypto"
import { Effect } from "effect"
import { sign } from "viem/accounts"
import { bytesToHex } from "viem/utils"
import type { Curve } from "../../core/chains/key.ts"
import type { KeyBackend } from "../../core/ports/key-backend.ts"

export const name = "seed"

const seedBytes = 64
/** The order of secp256k1's group. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const hardened = 2 ** 31

const numberOf = (bytes: Uint8Array): bigint => BigInt(bytesToHex(bytes))
const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex")

interface Node {
  readonly privateKey: Uint8Array
  readonly chainCode: Uint8Array
}

const halves = (key: Uint8Array | string, ...data: ReadonlyArray<Uint8Array>) => {
  const digest = createHmac("sha512", key).update(Buffer.concat(data)).digest()
  return [digest.subarray(0, 32), digest.subarray(32)] as const
}

/** Throws with the probability of 2^-127 that BIP-32 leaves. */
const inGroup = (scalar: bigint): bigint => {
  if (scalar === 0n || scalar >= order) throw new Error("This path has no key; take another.")
  return scalar
}

/** What the seed is hashed under for the root of each curve's tree. */
const roots = { secp256k1: "Bitcoin seed", ed25519: "ed25519 seed" } as const

const master = (curve: Curve, seed: Uint8Array): Node => {
  const [privateKey, chainCode] = halves(roots[curve], seed)
  if (curve === "secp256k1") inGroup(numberOf(privateKey))
  return { privateKey, chainCode }
}

const child = (curve: Curve, { chainCode, privateKey }: Node, level: number): Node => {
  const index = Buffer.alloc(4)
  index.writeUInt32BE(hardened + level)
  const [left, right] = halves(chainCode, Buffer.of(0), privateKey, index)
  if (curve === "ed25519") return { privateKey: left, chainCode: right }
  const scalar = inGroup((inGroup(numberOf(left)) + numberOf(privateKey)) % order)
  return { privateKey: bytesOf(scalar), chainCode: right }
}

/** What stands before 32 bytes in the one form of an ed25519 key that Node reads (PKCS #8, RFC 8410). */
const ed25519Head = Buffer.from("302e020100300506032b657004220420", "hex")
const ed25519Bytes = 32

const ed25519KeyOf = (privateKey: Uint8Array) =>
  createPrivateKey({
    key: Buffer.concat([ed25519Head, privateKey]),
    format: "der",
    type: "pkcs8"
  })

const publicKeyOf: Readonly<Record<Curve, (privateKey: Uint8Array) => Uint8Array>> = {
  secp256k1: (privateKey) => {
    const pair = createECDH("secp256k1")
    pair.setPrivateKey(privateKey)
    return new Uint8Array(pair.getPublicKey())
  },
  ed25519: (privateKey) => {
    const spki = createPublicKey(ed25519KeyOf(privateKey)).export({ format: "der", type: "spki" })
    return new Uint8Array(spki.subarray(-ed25519Bytes))
  }
}

/** Eight levels of 31 bits each hold the 248 bits of a derived id. */
const pathOf = (id: string): string => {
  if (!/^[0-9a-f]{62}$/u.test(id)) throw new Error("A derived id has 62 hex digits.")
  const bits = BigInt(`0x${id}`)
  const levels = Array.from({ length: 8 }, (_, at) => (bits >> BigInt(31 * (7 - at))) & 0x7fffffffn)
  return `m/${levels.map((level) => `${level}'`).join("/")}`
}

const pathForm = /^m(\/(0|[1-9]\d{0,9})'){1,8}$/u

const levelsOf = (path: string): ReadonlyArray<number> => {
  const levels = pathForm.test(path) ? path.slice(2, -1).split("'/").map(Number) : []
  if (levels.length === 0 || levels.some((level) => level >= hardened)) {
    throw new Error("The seed has keys at hardened paths only.")
  }
  return levels
}

/** As SLIP-0044 numbers coins. */
const coinTypes: Readonly<Record<Curve, number>> = { secp256k1: 60, ed25519: 501 }

/** Another branch than wallets have, whose paths have eight levels. */
export const relayerRef = (index = 0, curve: Curve = "secp256k1"): string =>
  `m/44'/${coinTypes[curve]}'/1'/0'/${index}'`

/** What was derived is not derived again while it is among the last so many that were asked for. */
const maxRemembered = 1000

const remembering = <A>(derive: (ref: string) => A) => {
  const known = new Map<string, A>()
  return (ref: string): A => {
    const before = known.get(ref)
    const derived = before ?? derive(ref)
    known.delete(ref)
    known.set(ref, derived)
    const [oldest] = known.keys()
    if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest)
    return derived
  }
}

/** Keys of wallets and of relayers; two processes that do not share stores need two relayers. */
export const backend = (seed: Uint8Array): KeyBackend => {
  if (seed.length !== seedBytes) throw new Error(`A seed has ${seedBytes} bytes.`)
  const root = { secp256k1: master("secp256k1", seed), ed25519: master("ed25519", seed) }
  const privateKey = (curve: Curve) =>
    remembering(
      (ref) =>
        levelsOf(ref).reduce((node, level) => child(curve, node, level), root[curve]).privateKey
    )
  const privateKeyOf = { secp256k1: privateKey("secp256k1"), ed25519: privateKey("ed25519") }
  const publicKey = (curve: Curve) =>
    remembering((ref) => publicKeyOf[curve](privateKeyOf[curve](ref)))
  const points = { secp256k1: publicKey("secp256k1"), ed25519: publicKey("ed25519") }
  return {
    name,
    open: (_curve, id) => Effect.sync(() => ({ ref: pathOf(id), isRecoverable: true })),
    publicKeyOf: (curve, ref) => Effect.sync(() => new Uint8Array(points[curve](ref))),
    sign: (curve, ref, bytes) =>
      Effect.promise(async () => {
        const privateKey = privateKeyOf[curve](ref)
        return curve === "ed25519"
          ? new Uint8Array(signEd25519(null, bytes, ed25519KeyOf(privateKey)))
          : sign({ hash: bytesToHex(bytes), privateKey: bytesToHex(privateKey), to: "bytes" })
      })
  }
}
