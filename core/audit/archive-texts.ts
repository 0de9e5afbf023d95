/**
 * Moves the texts of closed years out of the records, step by step: a text leaves only after a file has it that was read
 * back, proven by the tree and recorded. Each step may be repeated after whoever did it was killed.
 */
import { Data, DateTime, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Secrets } from "../ports/secrets.ts"
import { type Archive, endOf, fileOf } from "./archive.ts"
import { Audit } from "./audit-store.ts"
import * as Break from "./break.ts"
import { signedAt } from "./checkpoint.ts"
import type { Listed } from "./entry.ts"
import * as Leaf from "./entry.ts"
import type { SignedExport } from "./export.ts"
import { hashesBefore } from "./log.ts"

/** Entries read, or dropped, at once. */
const batch = 500

/** What the records have of an entry is not what the tree has; whoever wrote there has to be asked first. */
export class TextWasChanged extends Data.TaggedError("TextWasChanged")<{
  readonly accountId: string
  readonly sequence: number
}> {
  override get message() {
    return `Entry ${this.sequence} of account ${this.accountId} is not as its hash in the audit log says: it was changed in the database. Nothing of this account was archived. Export the log, and run bursar audit verify on it.`
  }
}

const isSame = (one: Uint8Array, other: Uint8Array | undefined): boolean =>
  other !== undefined && one.length === other.length && one.every((byte, at) => byte === other[at])

/** The next entries from a place on that were made before a time, each proven by the tree; none where the part ends. */
export const textsFrom = Effect.fnUntraced(function* (
  accountId: string,
  from: number,
  before: DateTime.Utc
) {
  const audit = yield* Audit
  const { hash } = yield* Secrets
  const read = yield* audit.inOrder(accountId, from, batch)
  // Texts that end before the log does were removed, or another run has just moved them.
  if (read.length === 0 && from < ((yield* audit.head(accountId))?.treeSize ?? 0)) {
    return yield* new TextWasChanged({ accountId, sequence: from })
  }
  const late = read.findIndex(({ createdAt }) => DateTime.isGreaterThanOrEqualTo(createdAt, before))
  const texts = late < 0 ? read : read.slice(0, late)
  const leaves = yield* audit.nodes(
    accountId,
    texts.map(({ sequence }) => ({ level: 0, index: sequence }))
  )
  for (const [at, text] of texts.entries()) {
    if (text.sequence !== from + at || !isSame(Leaf.hashOf(hash, text), leaves[at]?.hash)) {
      return yield* new TextWasChanged({ accountId, sequence: from + at })
    }
  }
  return texts
})

/** The breaks of a log whose texts are in the records, newest first. */
const breaksOf = Effect.fnUntraced(function* (accountId: string) {
  const { list } = yield* Audit
  const found: Array<Listed> = []
  let after: { readonly createdAt: DateTime.Utc; readonly id: string } | undefined
  do {
    const request = after === undefined ? { limit: batch } : { limit: batch, after }
    const page = yield* list(accountId, request, { subjectId: accountId })
    found.push(...page.rows.filter(({ action }) => action === Break.action))
    after = page.next
  } while (after !== undefined)
  return found
})

/** The line on which a log was when it had come to a size. */
const lineAt = Effect.fnUntraced(function* (accountId: string, size: number) {
  const head = yield* (yield* Audit).head(accountId)
  const breaks = yield* breaksOf(accountId)
  const placed = (entry: Listed) => entry.sequence ?? Number.POSITIVE_INFINITY
  const last = breaks.find((entry) => placed(entry) < size)
  if (last !== undefined) return Number(last.facts.line)
  const next = breaks.findLast((entry) => placed(entry) >= size)
  return next === undefined ? (head?.line ?? 1) : Number(next.facts.lineBefore)
})

/** What the last line of a file says that has the places from one up to, and without, another. */
export const signedPart = Effect.fnUntraced(function* (
  accountId: string,
  first: number,
  end: number
) {
  const line = yield* lineAt(accountId, end)
  const signed: SignedExport = yield* signedAt(accountId, { line, treeSize: end })
  if (first === 0) return signed
  const before = { entries: first, hashes: yield* hashesBefore(accountId, first) }
  return { ...signed, before } satisfies SignedExport as SignedExport
})

/** Records a file that has been proven; from here on its texts may leave the records. */
export const recordArchive = Effect.fnUntraced(function* (
  made: Omit<Archive, "archivedAt" | "file">
) {
  const archive: Archive = { ...made, file: fileOf(made), archivedAt: yield* DateTime.now }
  const { run } = yield* Atomically
  yield* run(Audit.use((audit) => audit.archive(archive)))
  return archive
})

/** The archives whose texts are still in the records: whoever recorded them was stopped. The last text leaves last. */
export const undropped = Effect.fnUntraced(function* (accountId: string) {
  const { archives, inOrder } = yield* Audit
  return yield* Effect.filter(yield* archives(accountId), ({ end }) =>
    Effect.map(inOrder(accountId, end - 1, 1), ([last]) => last?.sequence === end - 1)
  )
})

/** Drops an archive's texts, from its beginning on. Whoever asks has just seen the file whole. */
export const dropTexts = Effect.fnUntraced(function* ({ accountId, end, first }: Archive) {
  const audit = yield* Audit
  const { run } = yield* Atomically
  for (let begin = first; begin < end; begin += batch) {
    yield* run(audit.dropTexts(accountId, { begin, end: Math.min(begin + batch, end) }))
  }
})

/** The place at which the records' texts begin, once all that was recorded is dropped. */
export const beginning = (accountId: string) =>
  Effect.map(
    Audit.use((audit) => audit.archives(accountId)),
    endOf
  )
