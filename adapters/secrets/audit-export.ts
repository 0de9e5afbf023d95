/**
 * An audit log outside the installation, with Node's cryptography and neither database nor network:
 * `exportLines(entries, checkpoint)` writes the file, `verifyExport(text, verifierKey, earlier)` checks it.
 */
import { createHash } from "node:crypto"
import type { Placed } from "../../core/audit/entry.ts"
import * as Leaf from "../../core/audit/entry.ts"
import * as Export from "../../core/audit/export.ts"
import * as Note from "../../core/audit/note.ts"
import type { Cryptography, Report } from "../../core/audit/report.ts"
import * as TreeHead from "../../core/audit/tree-head.ts"
import * as Verify from "../../core/audit/verify.ts"
import { isSigned } from "./ed25519.ts"

const cryptography: Cryptography = {
  sha256: (...parts) => {
    const digest = createHash("sha256")
    for (const part of parts) digest.update(part)
    return new Uint8Array(digest.digest())
  },
  isSigned
}

/** The file's text: entries 0 up to the checkpoint's size in the order of the log, then the checkpoint. */
export const exportLines = (
  entries: ReadonlyArray<Placed>,
  checkpoint: Export.SignedExport
): string => Export.exportLines(cryptography.sha256, entries, checkpoint)

/**
 * Checks an export against the verifier key of its account, kept from elsewhere. `earlier` are checkpoints,
 * as signed notes, that must be beginnings of this log.
 */
export const verifyExport = (
  text: string,
  verifierKey: string,
  earlier: ReadonlyArray<string> = []
): Report => Verify.verifyExport(cryptography, text, verifierKey, earlier)

/** The lines of some entries, each with its line break, and that of the checkpoint, to be written as they come. */
export const entryLines = (entries: ReadonlyArray<Placed>): string =>
  entries.map((entry) => `${Export.entryLine(cryptography.sha256, entry)}\n`).join("")

export const signedLine = (checkpoint: Export.SignedExport): string =>
  `${Export.signedLine(checkpoint)}\n`

export const leafHash = (entry: Placed): Uint8Array => Leaf.hashOf(cryptography.sha256, entry)

export const { readSigned } = Export

/** The log size that a signed note is of. */
export const sizeIn = (note: string): number | undefined => {
  const text = Note.read(note)?.text
  return text === undefined ? undefined : TreeHead.read(text)?.treeSize
}

/** Begins a check of an export that is read line by line; `last` is its last line, undefined where it has no whole one. */
export const beginVerifying = (
  last: string | undefined,
  verifierKey: string,
  earlier: ReadonlyArray<string>
): Verify.Checking | Verify.Found => Verify.begin(cryptography, last, verifierKey, earlier)
