/**
 * A key management service on this machine: secp256k1 keys of node:crypto, and like the real ones another
 * signature each time, in DER, with s as often in the upper half as in the lower.
 */
import { createECDH, type ECDH, randomBytes } from "node:crypto"

export interface LocalKms {
  /** Makes a key of that name unless there is one. */
  readonly make: (name: string) => Promise<string>
  readonly has: (name: string) => boolean
  readonly publicKeyOf: (name: string) => Promise<Uint8Array>
  readonly sign: (name: string, digest: Uint8Array) => Promise<Uint8Array>
  /** Every signature made so far, DER. */
  readonly made: ReadonlyArray<Uint8Array>
  /** How often each public key was asked for. */
  readonly asked: ReadonlyMap<string, number>
}

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const spkiHead = Buffer.from("3056301006072a8648ce3d020106052b8104000a034200", "hex")

const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, "0"), "hex")

/** By Fermat: the order is prime. */
const inverse = (value: bigint) => {
  let [result, base, exponent] = [1n, value % order, order - 2n]
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % order
    base = (base * base) % order
  }
  return result
}

const integer = (value: bigint) => {
  const bytes = bytesOf(value)
  const trimmed = bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  const positive = (trimmed[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed
  return Buffer.concat([Buffer.from([0x02, positive.length]), positive])
}

export const derOf = (r: bigint, s: bigint): Uint8Array => {
  const body = Buffer.concat([integer(r), integer(s)])
  return new Uint8Array(Buffer.concat([Buffer.from([0x30, body.length]), body]))
}

/** ECDSA over a digest (SEC 1, 4.1.3), the point times k by OpenSSL; node:crypto signs only what it hashes. */
const signed = (key: ECDH, digest: Uint8Array): Uint8Array => {
  const ephemeral = createECDH("secp256k1")
  ephemeral.setPrivateKey(bytesOf((numberOf(randomBytes(32)) % (order - 1n)) + 1n))
  const r = numberOf(ephemeral.getPublicKey().subarray(1, 33)) % order
  const e = numberOf(digest) + r * numberOf(key.getPrivateKey())
  const s = (inverse(numberOf(ephemeral.getPrivateKey())) * e) % order
  return r === 0n || s === 0n ? signed(key, digest) : derOf(r, s)
}

export const localKms = (): LocalKms => {
  const keys = new Map<string, ECDH>()
  const made: Array<Uint8Array> = []
  const asked = new Map<string, number>()
  const keyOf = (name: string): ECDH => {
    const key = keys.get(name) ?? createECDH("secp256k1")
    if (!keys.has(name)) key.generateKeys()
    keys.set(name, key)
    return key
  }
  return {
    made,
    asked,
    has: (name) => keys.has(name),
    make: async (name) => {
      keyOf(name)
      return name
    },
    publicKeyOf: async (name) => {
      asked.set(name, (asked.get(name) ?? 0) + 1)
      return new Uint8Array(Buffer.concat([spkiHead, keyOf(name).getPublicKey()]))
    },
    sign: async (name, digest) => {
      const der = signed(keyOf(name), digest)
      made.push(der)
      return der
    }
  }
}
