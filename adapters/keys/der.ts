/**
 * The two DER forms a key management service speaks in: a public key (SPKI) and an ECDSA signature, both
 * of secp256k1. There is one way to write each; anything else is refused rather than understood.
 */
import { createPublicKey } from "node:crypto"
import { bytesToHex } from "viem/utils"

/** SEQUENCE { SEQUENCE { id-ecPublicKey, secp256k1 }, BIT STRING of an uncompressed point }. */
const spkiHead = Buffer.from("3056301006072a8648ce3d020106052b8104000a034200", "hex")
const pointBytes = 65

/** The order of the curve's group. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** The uncompressed point of a public key; throws when it is not a secp256k1 key or not on the curve. */
export const publicKey = (spki: Uint8Array): Uint8Array => {
  const bytes = Buffer.from(spki)
  const point = bytes.subarray(spkiHead.length)
  if (!bytes.subarray(0, spkiHead.length).equals(spkiHead) || point.length !== pointBytes) {
    throw new Error("The public key is not a secp256k1 key in SPKI form.")
  }
  // Node refuses a point that is not on the curve.
  createPublicKey({ key: bytes, format: "der", type: "spki" })
  return new Uint8Array(point)
}

const malformed = () => new Error("The signature is not ECDSA over secp256k1 in DER form.")

/** An INTEGER at a place: positive, without a byte too many; and where it ends. */
const integer = (der: Uint8Array, at: number): readonly [value: bigint, end: number] => {
  const length = der[at + 1] ?? 0
  const [first = 0x80, second = 0] = der.subarray(at + 2, at + 2 + length)
  const isPadded = first === 0 && second < 0x80
  if (der[at] !== 0x02 || length < 1 || first >= 0x80 || isPadded) throw malformed()
  const end = at + 2 + length
  if (end > der.length) throw malformed()
  return [BigInt(bytesToHex(der.subarray(at + 2, end))), end]
}

export interface Signature {
  readonly r: bigint
  readonly s: bigint
}

/** Throws unless it is SEQUENCE { r, s } and nothing more, both within the group. */
export const signature = (der: Uint8Array): Signature => {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw malformed()
  const [r, middle] = integer(der, 2)
  const [s, end] = integer(der, middle)
  if (end !== der.length || r < 1n || r >= order || s < 1n || s >= order) throw malformed()
  return { r, s }
}

/** The same signature with s in the lower half, which is the only one Ethereum and USDC take. */
export const lowered = ({ r, s }: Signature): Signature => ({
  r,
  s: s > order / 2n ? order - s : s
})
