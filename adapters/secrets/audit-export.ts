/**
 * An audit log outside the installation, with Node's cryptography and neither database nor network:
 * `exportLines(entries, checkpoint)` writes the file, `verifyExport(text, verifierKey, earlier)` checks it.
 */
import { createHash } from "node:crypto"
import type { Placed } from "../../core/audit/entry.ts"
import * as Export from "../../core/audit/export.ts"
import type { Cryptography, Report } from "../../core/audit/report.ts"
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
