/**
 * Envelope encryption: rows are sealed under a data key, and the data key is kept wrapped by a
 * key-encryption key. What is sealed opens only unchanged, at its own place, under its own key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Data } from "effect"
import type { SecretLocation } from "../../core/ports/secrets.ts"

/** Says nothing of which it was, nor anything of the value. */
export class SealBroken extends Data.TaggedError("SealBroken") {
  override readonly message =
    "An encrypted value was changed or moved, or was encrypted with another key."
}

export const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
const version = "v1"
const form = /^v1\.([A-Za-z0-9_-]+)$/u
const cipher = "aes-256-gcm"

const encrypt = (key: Uint8Array, bound: string, plain: Uint8Array): string => {
  const iv = randomBytes(ivBytes)
  const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes })
  sealing.setAAD(Buffer.from(bound, "utf8"))
  const sealed = Buffer.concat([iv, sealing.update(plain), sealing.final(), sealing.getAuthTag()])
  return `${version}.${sealed.toString("base64url")}`
}

const decrypt = (key: Uint8Array, bound: string, text: string): Buffer => {
  const encoded = form.exec(text)?.[1] ?? ""
  const sealed = Buffer.from(encoded, "base64url")
  // Base64 has several spellings of the same bytes; only the one that was written is accepted.
  if (sealed.length < ivBytes + tagBytes || sealed.toString("base64url") !== encoded) {
    throw new SealBroken()
  }
  const iv = sealed.subarray(0, ivBytes)
  const opening = createDecipheriv(cipher, key, iv, { authTagLength: tagBytes })
  opening.setAAD(Buffer.from(bound, "utf8"))
  opening.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([opening.update(sealed.subarray(ivBytes, -tagBytes)), opening.final()])
  } catch {
    throw new SealBroken()
  }
}

/** Escaped, so that no two places are written alike. */
const part = (text: string) => text.replaceAll("%", "%25").replaceAll("|", "%7C")

const boundTo = ({ table, row, account }: SecretLocation): string =>
  [table, row, account, version].map(part).join("|")

const wrappedKey = `data-key|${version}`

export const makeDataKey = (): Uint8Array => randomBytes(keyBytes)

/** The data key as it may be stored. */
export const wrap = (keyEncryptionKey: Uint8Array, dataKey: Uint8Array): string =>
  encrypt(keyEncryptionKey, wrappedKey, dataKey)

/** Throws `SealBroken` when it was wrapped by another key. */
export const unwrap = (keyEncryptionKey: Uint8Array, wrapped: string): Uint8Array =>
  decrypt(keyEncryptionKey, wrappedKey, wrapped)

const wrappedRoot = `wallet-root|${version}`

/** The wallet root as a backup holds it. */
export const wrapRoot = (keyEncryptionKey: Uint8Array, root: string): string =>
  encrypt(keyEncryptionKey, wrappedRoot, Buffer.from(root, "utf8"))

/** Throws `SealBroken` when it was wrapped by another key. */
export const unwrapRoot = (keyEncryptionKey: Uint8Array, wrapped: string): string =>
  decrypt(keyEncryptionKey, wrappedRoot, wrapped).toString("utf8")

export const seal = (dataKey: Uint8Array, place: SecretLocation, text: string): string =>
  encrypt(dataKey, boundTo(place), Buffer.from(text, "utf8"))

/** Throws `SealBroken` unless this very text was sealed for this place under this key. */
export const open = (dataKey: Uint8Array, place: SecretLocation, sealed: string): string =>
  decrypt(dataKey, boundTo(place), sealed).toString("utf8")
