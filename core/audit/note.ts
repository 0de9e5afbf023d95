/**
 * Signed notes (C2SP signed-note): a text, an empty line, and lines that each name a signer and carry an
 * Ed25519 signature over the text. A key is told by its name and its bytes together.
 */
import * as Base64 from "../encoding/base64.ts"
import type { Sha256 } from "./tree.ts"

/** A public key as others hold it, to check notes with. */
export interface VerifierKey {
  readonly name: string
  /** The first four bytes of a digest over name and key, as hex. */
  readonly id: string
  readonly publicKey: Uint8Array
}

export interface Signature {
  readonly name: string
  readonly keyId: string
  readonly signature: Uint8Array
}

export interface Note {
  /** What is signed, its last line break included. */
  readonly text: string
  readonly signatures: ReadonlyArray<Signature>
}

const ed25519 = Uint8Array.of(1)
const idBytes = 4
const keyBytes = 32
const dash = "\u2014"
const keyForm = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u
const lineForm = new RegExp(`^${dash} ([^\\s+]+) (\\S+)$`, "u")

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => Uint8Array.of(...one, ...other)

const idOf = (sha256: Sha256, name: string, publicKey: Uint8Array): Uint8Array =>
  sha256(`${name}\n`, ed25519, publicKey).slice(0, idBytes)

/** The key as one line of text: `<name>+<id>+<base64>`. */
export const verifierKey = (sha256: Sha256, name: string, publicKey: Uint8Array): string =>
  `${name}+${hex(idOf(sha256, name, publicKey))}+${Base64.encode(joined(ed25519, publicKey))}`

/** The key of such a line; undefined when it is not one, or its id is of another key. */
export const readVerifierKey = (sha256: Sha256, line: string): VerifierKey | undefined => {
  const [, name = "", id = "", encoded = ""] = keyForm.exec(line.trim()) ?? []
  const bytes = Base64.decode(encoded)
  if (bytes === undefined || bytes.length !== 1 + keyBytes || bytes[0] !== ed25519[0]) {
    return undefined
  }
  const publicKey = bytes.slice(1)
  return hex(idOf(sha256, name, publicKey)) === id ? { name, id, publicKey } : undefined
}

/** The text, which ends with a line break, with its signature under it. */
export const write = (
  sha256: Sha256,
  text: string,
  name: string,
  publicKey: Uint8Array,
  signature: Uint8Array
): string =>
  `${text}\n${dash} ${name} ${Base64.encode(joined(idOf(sha256, name, publicKey), signature))}\n`

const readSignature = (line: string): Signature | undefined => {
  const [, name = "", encoded = ""] = lineForm.exec(line) ?? []
  const bytes = Base64.decode(encoded)
  return bytes === undefined || bytes.length <= idBytes
    ? undefined
    : { name, keyId: hex(bytes.slice(0, idBytes)), signature: bytes.slice(idBytes) }
}

/** Text and signatures; undefined when it has not the form. */
export const read = (note: string): Note | undefined => {
  const end = note.lastIndexOf("\n\n")
  if (end < 0 || !note.endsWith("\n")) return undefined
  const lines = note
    .slice(end + 2, -1)
    .split("\n")
    .map(readSignature)
  const signatures = lines.filter((line) => line !== undefined)
  return signatures.length === lines.length
    ? { text: note.slice(0, end + 1), signatures }
    : undefined
}
