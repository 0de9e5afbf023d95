/**
 * A log as a file that can be checked without this installation: one line of JSON for each entry, oldest
 * first, and the signed checkpoint over them as the last. Every byte of it is hashed, signed or compared.
 */
import type { Schema } from "effect"
import * as Base64 from "../encoding/base64.ts"
import { canonical } from "../encoding/canonical.ts"
import type { Placed } from "./entry.ts"
import * as Leaf from "./entry.ts"
import * as Tree from "./tree.ts"

/** What a file that goes on where others end has of the entries in those: the perfect subtrees over them. */
export interface Before {
  readonly entries: number
  /** Base64, the largest first. */
  readonly hashes: ReadonlyArray<string>
}

/** What `get_audit_checkpoint` answers with; its time is not signed and so not exported. */
export interface SignedExport {
  readonly treeSize: number
  /** Base64. */
  readonly rootHash: string
  /** The signed note. */
  readonly checkpoint: string
  readonly verifierKey: string
  /** Where the file does not begin with the first entry. */
  readonly before?: Before | undefined
}

export type Line = Readonly<Record<string, Schema.Json>>

/** An entry's line: its leaf, and the leaf's hash beside it, so that a changed entry can be named. */
export const entryLine = (sha256: Tree.Sha256, entry: Placed): string =>
  canonical({
    ...Leaf.leafFields(entry),
    leafHash: Base64.encode(Leaf.hashOf(sha256, entry))
  })

export const signedLine = ({
  before,
  checkpoint,
  rootHash,
  treeSize,
  verifierKey
}: SignedExport): string => {
  const signed = { checkpoint, rootHash, treeSize, verifierKey }
  return before === undefined
    ? canonical(signed)
    : canonical({ ...signed, before: { entries: before.entries, hashes: [...before.hashes] } })
}

/** The whole file. Entries beyond the checkpoint's size have to be left out by whoever asks. */
export const exportLines = (
  sha256: Tree.Sha256,
  entries: ReadonlyArray<Placed>,
  signed: SignedExport
): string =>
  [...entries.map((entry) => entryLine(sha256, entry)), signedLine(signed)]
    .map((line) => `${line}\n`)
    .join("")

/** An entry's line as it was read: what it says of itself, and the hash that its words have. */
export interface ReadEntry {
  readonly accountId: string
  readonly sequence: number
  readonly action: string
  readonly facts: Readonly<Record<string, string>>
  /** As the line states it. */
  readonly stated: Uint8Array
  readonly computed: Uint8Array
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The object of a line that is written as we write lines; undefined for any other, one more space included. */
export const readLine = (line: string): Line | undefined => {
  const value = parsed(line)
  return typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    canonical(value as Schema.Json) === line
    ? (value as Line)
    : undefined
}

const hashBytes = 32

const isText = (value: unknown): value is string => typeof value === "string"
const isTexts = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every(isText)

const texts = [
  "id",
  "accountId",
  "action",
  "actor",
  "actorType",
  "actorRole",
  "subjectType",
  "subjectId",
  "createdAt"
]
const entryKeys = new Set([...texts, "facts", "sequence", "leafHash"])

export const readEntry = (sha256: Tree.Sha256, text: string): ReadEntry | undefined => {
  const line = readLine(text)
  if (line === undefined) return undefined
  const { leafHash, ...leaf } = line
  const { accountId, action, facts, sequence } = leaf
  const stated = isText(leafHash) ? Base64.decode(leafHash) : undefined
  const isWhole =
    texts.every((field) => isText(leaf[field])) &&
    isTexts(facts) &&
    Object.keys(line).every((field) => entryKeys.has(field))
  return isWhole && stated !== undefined && Number.isSafeInteger(sequence)
    ? {
        accountId: accountId as string,
        sequence: sequence as number,
        action: action as string,
        facts: facts as ReadEntry["facts"],
        stated,
        computed: Tree.leafHash(sha256, canonical(leaf))
      }
    : undefined
}

const readBefore = (value: unknown, treeSize: number): Before | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const { entries, hashes } = value as Partial<Before>
  if (!Number.isSafeInteger(entries) || entries === undefined) return undefined
  if (entries < 1 || entries > treeSize || !Array.isArray(hashes)) return undefined
  const isWhole =
    hashes.length === Tree.parts({ begin: 0, end: entries }).length &&
    hashes.every((hash) => isText(hash) && Base64.decode(hash)?.length === hashBytes)
  return isWhole ? { entries, hashes } : undefined
}

/** The checkpoint of the last line. */
export const readSigned = (text: string): SignedExport | undefined => {
  const line = readLine(text)
  if (line === undefined) return undefined
  const { checkpoint, rootHash, treeSize, verifierKey } = line
  if (!isText(checkpoint) || !isText(rootHash) || !isText(verifierKey)) return undefined
  if (typeof treeSize !== "number") return undefined
  const before = readBefore(line.before, treeSize)
  const signed = { before, checkpoint, rootHash, treeSize, verifierKey }
  return signedLine(signed) === text ? signed : undefined
}
