/**
 * Moves texts of one account's audit log to a file. They leave the records last: after the file is on the disk, was read
 * back, proven by the log's tree, and recorded.
 */
import { join } from "node:path"
import { type DateTime, Effect } from "effect"
import { entryLines, signedLine } from "../../../adapters/secrets/audit-export.ts"
import { type Archive, fileOf } from "../../../core/audit/archive.ts"
import * as Texts from "../../../core/audit/archive-texts.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { sequenceAll } from "../../../core/audit/sequence.ts"
import * as AuditFile from "../audit-file.ts"
import * as Exit from "../exit.ts"
import * as ArchiveFile from "./archive-file.ts"

type Signed = Effect.Success<ReturnType<typeof Texts.signedPart>>

/** Writes the texts from a place on; gives back where they end and what was signed over them. */
const writeTexts = (accountId: string, first: number, before: DateTime.Utc) =>
  Effect.fnUntraced(function* (write: (text: string) => Effect.Effect<void, Exit.Stopped>) {
    let end = first
    while (true) {
      const texts = yield* Texts.textsFrom(accountId, end, before)
      if (texts.length === 0) break
      yield* write(entryLines(texts))
      end += texts.length
    }
    if (end === first) return undefined
    const signed = yield* Texts.signedPart(accountId, first, end)
    yield* write(signedLine(signed))
    return { accountId, first, end, signed }
  })

/** What was written is read again from the disk, against the key and the tree of the records. */
const proven = Effect.fnUntraced(function* (
  path: string,
  { end, first, signed }: { readonly end: number; readonly first: number; readonly signed: Signed }
) {
  const found = yield* AuditFile.verifyFile(path, signed.verifierKey, [])
  const { head, ok } = found.report
  const isSame = head?.treeSize === end && head.rootHash === signed.rootHash
  if (ok && found.first === first && isSame) return yield* ArchiveFile.sha256Of(path)
  const why = found.report.problems.map(({ message }) => message).join(" ")
  return yield* Exit.refused(
    `${path} was read back and is not what was written. ${why} Nothing was dropped.`
  )
})

/** Files that were recorded before and are not as they were, told apart from those that are gone. */
const unsound = Effect.fnUntraced(function* (
  folder: string,
  { file, sha256 }: Pick<Archive, "file" | "sha256">
) {
  const found = yield* ArchiveFile.sha256Of(join(folder, file))
  if (found === sha256) return []
  return found === undefined
    ? [{ isChanged: false, said: `${file} is not in ${folder}; make sure that it is elsewhere.` }]
    : [
        {
          isChanged: true,
          said: `${file} in ${folder} was changed after it was recorded; put it back from a copy.`
        }
      ]
})

/** Drops what is recorded, each archive only while its file is there as it was recorded. */
const dropRecorded = Effect.fnUntraced(function* (accountId: string, folder: string) {
  for (const archive of yield* Texts.undropped(accountId)) {
    const wrong = yield* unsound(folder, archive)
    if (wrong.length > 0) {
      return yield* Exit.refused(
        ...wrong.map(({ said }) => said),
        "The database still has its texts, and keeps them until the file is back."
      )
    }
    yield* Texts.dropTexts(archive)
  }
})

/** The texts of an account that were made before a time, and are not in files yet. Done again, it goes on where it was. */
export const archiveAccount = Effect.fnUntraced(function* (
  accountId: string,
  folder: string,
  before: DateTime.Utc
) {
  yield* sequenceAll(accountId)
  // What was recorded and not yet dropped when somebody was stopped.
  yield* dropRecorded(accountId, folder)
  const first = yield* Texts.beginning(accountId)
  const written = yield* ArchiveFile.writing(
    folder,
    `audit-${accountId}`,
    writeTexts(accountId, first, before),
    (done) => (done === undefined ? undefined : fileOf(done))
  )
  if (written !== undefined) {
    const sha256 = yield* proven(join(folder, fileOf(written)), written)
    if (sha256 === undefined) return yield* Exit.refused(`${fileOf(written)} is gone.`)
    const { end } = written
    yield* Texts.recordArchive({ accountId, first, end, before, sha256 })
    yield* dropRecorded(accountId, folder)
  }
  const archives = yield* Audit.use((audit) => audit.archives(accountId))
  return {
    moved: (written?.end ?? first) - first,
    file: written === undefined ? undefined : fileOf(written),
    unsound: (yield* Effect.forEach(archives, (each) => unsound(folder, each))).flat()
  }
})
