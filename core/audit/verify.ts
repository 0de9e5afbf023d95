/**
 * Checks an exported log against a key that was written down elsewhere: nothing else is trusted, neither a
 * database nor the file's own hashes. Whatever is wrong is said of the entry it is wrong with.
 */
import * as Base64 from "../encoding/base64.ts"
import * as Export from "./export.ts"
import {
  type Cryptography,
  openCheckpoint,
  type Problem,
  type ProblemCode,
  type Report
} from "./report.ts"
import * as Tree from "./tree.ts"
import * as TreeHead from "./tree-head.ts"

interface Numbered extends Export.ReadEntry {
  readonly line: number
}

const ofRange = (from: number, to: number) =>
  from === to ? `Entry ${from} is` : `Entries ${from} to ${to} are`

/** What is wrong with the order of the entries, before any hash is looked at. */
const orderProblems = (
  entries: ReadonlyArray<Numbered>,
  { origin, treeSize }: TreeHead.TreeHead
): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  const seen = new Set<number>()
  let highest = -1
  for (const { accountId, line, sequence } of entries) {
    const add = (code: ProblemCode, message: string) =>
      problems.push({ code, message, sequence, line })
    if (accountId !== TreeHead.accountOf(origin)) {
      add("foreign_entry", `Entry ${sequence} belongs to another account than the checkpoint.`)
    }
    if (seen.has(sequence)) add("repeated_entry", `Entry ${sequence} is in the file twice.`)
    else if (sequence < highest) {
      add("misplaced_entry", `Entry ${sequence} comes after entry ${highest}.`)
    }
    if (sequence < 0 || sequence >= treeSize) {
      add(
        "surplus_entry",
        `Entry ${sequence} is not covered by a checkpoint of ${treeSize} entries.`
      )
    }
    seen.add(sequence)
    highest = Math.max(highest, sequence)
  }
  const there = [...seen].filter((each) => each >= 0 && each < treeSize).sort((a, b) => a - b)
  ;[...there, treeSize].reduce((expected, each) => {
    if (each > expected) {
      const message = `${ofRange(expected, each - 1)} missing.`
      problems.push({ code: "missing_entries", message, sequence: expected })
    }
    return each + 1
  }, 0)
  return problems
}

const rootOver = (sha256: Tree.Sha256, leaves: ReadonlyArray<Uint8Array>): string => {
  const { peaks } = Tree.grow(sha256, [], leaves)
  return Base64.encode(
    Tree.rootOf(
      sha256,
      peaks.map(({ hash }) => hash)
    )
  )
}

/** Leaf hashes by place; undefined when a place has none or two. */
const inOrder = (entries: ReadonlyArray<Numbered>, treeSize: number) => {
  const sorted = [...entries].sort((a, b) => a.sequence - b.sequence)
  return sorted.length === treeSize && sorted.every(({ sequence }, at) => sequence === at)
    ? sorted
    : undefined
}

/** What is wrong with the words of the entries. */
const hashProblems = (
  sha256: Tree.Sha256,
  entries: ReadonlyArray<Numbered>,
  head: TreeHead.TreeHead
): ReadonlyArray<Problem> => {
  const signedRoot = Base64.encode(head.rootHash)
  const whole = inOrder(entries, head.treeSize)
  const has = (of: (entry: Numbered) => Uint8Array) =>
    whole !== undefined && rootOver(sha256, whole.map(of)) === signedRoot
  const entriesHold = has(({ computed }) => computed)
  const hashesHold = has(({ stated }) => stated)
  const altered = entries
    .filter(({ computed, stated }) => Base64.encode(computed) !== Base64.encode(stated))
    .map(({ line, sequence }): Problem => {
      const message = entriesHold
        ? `The hash of entry ${sequence} was changed; the entry itself is as it was signed.`
        : hashesHold
          ? `Entry ${sequence} was changed after it was signed.`
          : `Entry ${sequence} does not match its hash.`
      return { code: "altered_entry", message, sequence, line }
    })
  if (whole === undefined || entriesHold || hashesHold) return altered
  const message =
    "The entries do not match the signed root: some were changed together with their hashes."
  return [...altered, { code: "root_mismatch", message }]
}

/** Whether the log is a continuation of what was signed before. */
const earlierProblems = (
  cryptography: Cryptography,
  entries: ReadonlyArray<Numbered>,
  head: TreeHead.TreeHead,
  verifierKey: string,
  earlier: ReadonlyArray<string>
): ReadonlyArray<Problem> => {
  const whole = inOrder(entries, head.treeSize)
  return earlier.flatMap((note): ReadonlyArray<Problem> => {
    const opened = openCheckpoint(cryptography, note, verifierKey)
    if ("problem" in opened) return [opened.problem]
    const { rootHash, treeSize } = opened.head
    const leaves = whole?.slice(0, treeSize).map(({ computed }) => computed)
    return leaves?.length === treeSize &&
      rootOver(cryptography.sha256, leaves) === Base64.encode(rootHash)
      ? []
      : [
          {
            code: "earlier_mismatch",
            message: `This log does not begin with the entries of the earlier checkpoint of size ${treeSize}.`
          }
        ]
  })
}

/** Every line but the last as an entry, and what cannot be read as one. */
const readEntries = (sha256: Tree.Sha256, lines: ReadonlyArray<string>) => {
  const entries: Array<Numbered> = []
  const problems: Array<Problem> = []
  for (const [at, text] of lines.entries()) {
    const line = at + 1
    const entry = Export.readEntry(sha256, text)
    const message = `Line ${line} is not an exported audit entry.`
    if (entry === undefined) problems.push({ code: "unreadable_line", message, line })
    else entries.push({ ...entry, line })
  }
  return { entries, problems }
}

const failed = (problem: Problem): Report => ({ ok: false, head: null, problems: [problem] })

/**
 * Checks a whole export. `earlier` are checkpoints that were kept from before, as signed notes: each must
 * be the beginning of this log.
 */
export const verifyExport = (
  cryptography: Cryptography,
  text: string,
  verifierKey: string,
  earlier: ReadonlyArray<string> = []
): Report => {
  const lines = text.split("\n")
  const end = lines.pop()
  const last = lines.pop() ?? ""
  const signed = end === "" ? Export.readSigned(last) : undefined
  if (signed === undefined) {
    const message =
      "The file does not end with a checkpoint: it was truncated, or its end was changed."
    return failed({ code: "no_checkpoint", message })
  }
  const opened = openCheckpoint(cryptography, signed.checkpoint, verifierKey)
  if ("problem" in opened) return failed(opened.problem)
  const { head } = opened
  const rootHash = Base64.encode(head.rootHash)
  const { entries, problems } = readEntries(cryptography.sha256, lines)
  const isTold =
    signed.treeSize === head.treeSize &&
    signed.rootHash === rootHash &&
    signed.verifierKey === verifierKey.trim()
  const message = "The size, root or key next to the checkpoint differs from the signed one."
  const all = [
    ...(isTold ? [] : [{ code: "no_checkpoint" as const, message, line: lines.length + 1 }]),
    ...problems,
    ...orderProblems(entries, head),
    ...hashProblems(cryptography.sha256, entries, head),
    ...earlierProblems(cryptography, entries, head, verifierKey, earlier)
  ]
  const accountId = TreeHead.accountOf(head.origin) ?? head.origin
  return {
    ok: all.length === 0,
    head: { accountId, treeSize: head.treeSize, rootHash },
    problems: all
  }
}
