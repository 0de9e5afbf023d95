/**
 * Private keys below one seed of 64 bytes, by hardened paths only (BIP-32, SLIP-0010). No key leaves this file,
 * and the same key and digest always give the same signature (RFC 6979).
 */
import { createECDH, createHmac } from "node:crypto"
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

const master = (seed: Uint8Array): Node => {
  const [privateKey, chainCode] = halves("Bitcoin seed", seed)
  inGroup(numberOf(privateKey))
  return { privateKey, chainCode }
}

const child = ({ chainCode, privateKey }: Node, level: number): Node => {
  const index = Buffer.alloc(4)
  index.writeUInt32BE(hardened + level)
  const [left, right] = halves(chainCode, Buffer.of(0), privateKey, index)
  const scalar = inGroup((inGroup(numberOf(left)) + numberOf(privateKey)) % order)
  return { privateKey: bytesOf(scalar), chainCode: right }
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

/** Another branch than wallets have, whose paths have eight levels. */
export const relayerRef = (index = 0): string => `m/44'/60'/1'/0'/${index}'`

/** Keys of wallets and of relayers; two processes that do not share stores need two relayers. */
export const backend = (seed: Uint8Array): KeyBackend => {
  if (seed.length !== seedBytes) throw new Error(`A seed has ${seedBytes} bytes.`)
  const root = master(seed)
  const privateKeyOf = (curve: Curve, ref: string): Uint8Array => {
    if (curve !== "secp256k1") throw new Error(`The seed holds no ${curve} keys yet.`)
    return levelsOf(ref).reduce(child, root).privateKey
  }
  return {
    name,
    open: (_curve, id) => Effect.sync(() => ({ ref: pathOf(id), isRecoverable: true })),
    publicKeyOf: (curve, ref) =>
      Effect.sync(() => {
        const pair = createECDH("secp256k1")
        pair.setPrivateKey(privateKeyOf(curve, ref))
        return new Uint8Array(pair.getPublicKey())
      }),
    sign: (curve, ref, bytes) =>
      Effect.promise(async () => {
        const privateKey = bytesToHex(privateKeyOf(curve, ref))
        return sign({ hash: bytesToHex(bytes), privateKey, to: "bytes" })
      })
  }
}
