/** Logs made by hand, with a key of the test's own, as an installation would export them. */
import { createHash } from "node:crypto"
import { exportLines } from "../../adapters/secrets/audit-export.ts"
import { privateKeyOf, publicBytesOf, signed } from "../../adapters/secrets/ed25519.ts"
import type { Placed } from "../../core/audit/entry.ts"
import * as Leaf from "../../core/audit/entry.ts"
import type { SignedExport } from "../../core/audit/export.ts"
import * as Note from "../../core/audit/note.ts"
import * as Tree from "../../core/audit/tree.ts"
import * as TreeHead from "../../core/audit/tree-head.ts"
import * as Base64 from "../../core/encoding/base64.ts"
import * as Rows from "./rows.ts"

export const sha256: Tree.Sha256 = (...parts) => {
  const digest = createHash("sha256")
  for (const part of parts) digest.update(part)
  return new Uint8Array(digest.digest())
}

/** Entries in the order of their places. */
export const aLog = (accountId: string, size: number): ReadonlyArray<Placed> =>
  Array.from({ length: size }, (_, sequence) => ({
    ...Rows.anEntry(accountId, {
      createdAt: Rows.at(sequence),
      facts: { label: `ünï "${sequence}"`, plan: "pro" }
    }),
    sequence
  }))

const privateKey = privateKeyOf(sha256("a key for tests"))

export const rootOver = (entries: ReadonlyArray<Placed>): Uint8Array => {
  const leaves = entries.map((entry) => Leaf.hashOf(sha256, entry))
  const { peaks } = Tree.grow(sha256, [], leaves)
  return Tree.rootOf(
    sha256,
    peaks.map(({ hash }) => hash)
  )
}

/** The entry with which a log goes on on another line, signed over the entries before it. */
export const aBreak = (
  accountId: string,
  before: ReadonlyArray<Placed>,
  lines: { readonly line: number; readonly lineBefore: number },
  key = privateKey
): Placed => {
  const origin = TreeHead.originOf(accountId)
  const { line, lineBefore } = lines
  const treeSize = before.length
  const rootHash = rootOver(before)
  const text = TreeHead.write({ origin, treeSize, rootHash, line: lineBefore, nextLine: line })
  const facts = {
    line: String(line),
    lineBefore: String(lineBefore),
    entriesBefore: String(treeSize),
    checkpoint: Note.write(sha256, text, origin, publicBytesOf(key), signed(key, text))
  }
  const entry = Rows.anEntry(accountId, { action: "audit_log.continued", facts })
  return { ...entry, sequence: treeSize }
}

/** A checkpoint over entries, signed by a key. */
export const signedOver = (
  accountId: string,
  entries: ReadonlyArray<Placed>,
  key = privateKey,
  line = 1
): SignedExport => {
  const origin = TreeHead.originOf(accountId)
  const rootHash = rootOver(entries)
  const text = TreeHead.write({ origin, treeSize: entries.length, rootHash, line })
  const publicKey = publicBytesOf(key)
  return {
    treeSize: entries.length,
    rootHash: Base64.encode(rootHash),
    checkpoint: Note.write(sha256, text, origin, publicKey, signed(key, text)),
    verifierKey: Note.verifierKey(sha256, origin, publicKey)
  }
}

/** An exported log and the key to verify it with. */
export const anExport = (size: number) => {
  const accountId = Rows.anId()
  const entries = aLog(accountId, size)
  const checkpoint = signedOver(accountId, entries)
  const text = exportLines(entries, checkpoint)
  return { accountId, entries, checkpoint, text, verifierKey: checkpoint.verifierKey }
}
