/** Ed25519 on Node's cryptography: keys of 32 bytes, signatures of 64, over the UTF-8 of a text. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"

/** What stands before the 32 bytes in the standard encodings of a private and of a public key (RFC 8410). */
const privatePrefix = Buffer.from("302e020100300506032b657004220420", "hex")
const publicPrefix = Buffer.from("302a300506032b6570032100", "hex")

export const privateKeyOf = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: "der", type: "pkcs8" })

export const publicBytesOf = (key: KeyObject): Uint8Array =>
  new Uint8Array(
    createPublicKey(key).export({ format: "der", type: "spki" }).subarray(publicPrefix.length)
  )

export const signed = (key: KeyObject, text: string): Uint8Array =>
  new Uint8Array(sign(null, Buffer.from(text, "utf8"), key))

/** False for bytes that are no key. */
export const isSigned = (publicKey: Uint8Array, text: string, signature: Uint8Array): boolean => {
  try {
    const key = Buffer.concat([publicPrefix, publicKey])
    return verify(
      null,
      Buffer.from(text, "utf8"),
      createPublicKey({ key, format: "der", type: "spki" }),
      signature
    )
  } catch {
    return false
  }
}
