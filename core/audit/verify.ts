/**
 * Checks an exported log against a key that was written down elsewhere: nothing else is trusted, neither a
 * database nor the file's own hashes. Whatever is wrong is said of the entry it is wrong with. The file is read
 * line by line, and what is kept of it does not grow with it.
 */
import * as Base64 from "../encoding/base64.ts"
import type { Break } from "./break.ts"
import * as BreakCheck from "./break-check.ts"
import * as Export from "./export.ts"
import { make as makeOrder } from "./order.ts"
import { type Cryptography, openCheckpoint, type Problem, type Report } from "./report.ts"
import * as Tree from "./tree.ts"
import type * as TreeHead from "./tree-head.ts"
import { accountOf } from "./tree-head.ts"

/** Most problems that are listed: a file with more is not this log, and is read no further. */
export const maxProblems = 1000

/** A tree that grows leaf by leaf and keeps no more than its peaks. */
const growing = (sha256: Tree.Sha256, before: ReadonlyArray<Tree.Hashed>) => {
  let peaks = before
  return {
    add: (leaf: Uint8Array) => {
      peaks = Tree.grow(sha256, peaks, [leaf]).peaks
    },
    root: () =>
      Base64.encode(
        Tree.rootOf(
          sha256,
          peaks.map(({ hash }) => hash)
        )
      )
  }
}

interface Altered {
  readonly line: number
  readonly sequence: number
}

/** What is wrong with the words of the entries, once all are read. */
const hashProblems = (
  altered: ReadonlyArray<Altered>,
  roots: { readonly computed: string; readonly stated: string } | undefined,
  head: TreeHead.TreeHead
): ReadonlyArray<Problem> => {
  const signed = Base64.encode(head.rootHash)
  const [entriesHold, hashesHold] = [roots?.computed === signed, roots?.stated === signed]
  const told = altered.map(({ line, sequence }): Problem => {
    const message = entriesHold
      ? `The hash of entry ${sequence} was changed; the entry itself is as it was signed.`
      : hashesHold
        ? `Entry ${sequence} was changed after it was signed.`
        : `Entry ${sequence} does not match its hash.`
    return { code: "altered_entry", message, sequence, line }
  })
  if (roots === undefined || entriesHold || hashesHold) return told
  const message =
    "The entries do not match the signed root: some were changed together with their hashes."
  return [...told, { code: "root_mismatch", message }]
}

/** Checkpoints from before, each compared when the log has come to its size. */
const earlierChecks = (
  cryptography: Cryptography,
  verifierKey: string,
  notes: ReadonlyArray<string>
) => {
  const opened = notes.map((note) => openCheckpoint(cryptography, note, verifierKey))
  const heads = opened.flatMap((each) => ("head" in each ? [each.head] : []))
  const continued = new Set<TreeHead.TreeHead>()
  return {
    at: (size: number, root: () => string) => {
      for (const head of heads) {
        if (head.treeSize === size && root() === Base64.encode(head.rootHash)) continued.add(head)
      }
    },
    /** Nothing is the beginning of a log that is not whole. */
    judge: (isWhole: boolean, head: TreeHead.TreeHead, breaks: ReadonlyArray<Break>) => {
      const excused = new Map<Break, TreeHead.TreeHead>()
      const judged = opened.map((each): Problem | undefined => {
        if ("problem" in each) return each.problem
        const { line, treeSize } = each.head
        const excuse = BreakCheck.excusing(breaks, each.head)
        if (isWhole && excuse !== undefined) {
          const most = excused.get(excuse)
          if (most === undefined || most.treeSize < treeSize) excused.set(excuse, each.head)
          return undefined
        }
        const isOfThisLog =
          line === head.line || breaks.some(({ lineBefore }) => lineBefore === line)
        if (isWhole && isOfThisLog && continued.has(each.head)) return undefined
        const message = isOfThisLog
          ? `This log does not begin with the entries of the earlier checkpoint of size ${treeSize}.`
          : `The earlier checkpoint of size ${treeSize} is of line ${line}, and no entry says how this log comes from there.`
        return { code: "earlier_mismatch", message }
      })
      return { excused, judged }
    }
  }
}

/** What was found, and what comes of it beside other files of the log. */
export interface Found {
  readonly report: Report
  /** The place of the file's first entry; those before are in others. */
  readonly first: number
  /** What is wrong with each of the checkpoints from before; nothing with one that the file continues. */
  readonly earlier: ReadonlyArray<Problem | undefined>
  /** Its own. */
  readonly checkpoint: string | undefined
}

const failed = (problem: Problem): Found => ({
  report: { ok: false, head: null, breaks: [], problems: [problem] },
  first: 0,
  earlier: [],
  checkpoint: undefined
})

const unsigned = failed({
  code: "no_checkpoint",
  message: "The file does not end with a checkpoint: it was truncated, or its end was changed."
})

/** Whether what stands beside the checkpoint is what it says. */
const isTold = (signed: Export.SignedExport, head: TreeHead.TreeHead, verifierKey: string) =>
  signed.treeSize === head.treeSize &&
  signed.rootHash === Base64.encode(head.rootHash) &&
  signed.verifierKey === verifierKey.trim()

/** What a file states of the entries in the files before it; the signed root says whether it is so. */
const peaksOf = ({ before }: Export.SignedExport): ReadonlyArray<Tree.Hashed> =>
  before === undefined
    ? []
    : Tree.parts({ begin: 0, end: before.entries }).map((node, at) => ({
        ...node,
        hash: Base64.decode(before.hashes[at] ?? "") ?? new Uint8Array()
      }))

/** A check that goes on line by line. */
export interface Checking {
  /** Takes the next line, without its line break; false when enough is wrong, and no more need be read. */
  readonly line: (text: string) => boolean
  /** What was found, once every line but the last was taken. */
  readonly end: () => Found
}

/**
 * Begins to check an export by its last line, which is signed. `earlier` are checkpoints that were kept from before,
 * as signed notes: each must be the beginning of this log.
 */
export const begin = (
  cryptography: Cryptography,
  last: string | undefined,
  verifierKey: string,
  earlier: ReadonlyArray<string> = []
): Checking | Found => {
  const { sha256 } = cryptography
  const signed = last === undefined ? undefined : Export.readSigned(last)
  if (signed === undefined) return unsigned
  const opened = openCheckpoint(cryptography, signed.checkpoint, verifierKey)
  if ("problem" in opened) return failed(opened.problem)
  const { head } = opened
  const accountId = accountOf(head.origin)
  const first = signed.before?.entries ?? 0
  const order = makeOrder(accountId, head.treeSize, first)
  const peaks = peaksOf(signed)
  const [computed, stated] = [growing(sha256, peaks), growing(sha256, peaks)]
  const before = earlierChecks(cryptography, verifierKey, earlier)
  const breaks = BreakCheck.make(cryptography, verifierKey)
  const [unreadable, altered]: [Array<Problem>, Array<Altered>] = [[], []]
  let lines = 0
  before.at(first, computed.root)
  const isEnough = () =>
    unreadable.length + altered.length + order.count() + breaks.count() >= maxProblems
  const take = (text: string) => {
    const line = ++lines
    const entry = Export.readEntry(sha256, text)
    if (entry === undefined) {
      const message = `Line ${line} is not an exported audit entry.`
      unreadable.push({ code: "unreadable_line", message, line })
      return
    }
    const { sequence } = entry
    if (Base64.encode(entry.computed) !== Base64.encode(entry.stated))
      altered.push({ line, sequence })
    order.next({ accountId: entry.accountId, line, sequence })
    // Roots are of logs whose entries follow each other; of any other they would say nothing.
    if (!order.isGapless()) return
    breaks.next(entry, line, computed.root)
    computed.add(entry.computed)
    stated.add(entry.stated)
    before.at(sequence + 1, computed.root)
  }
  return {
    line: (text) => {
      if (!isEnough()) take(text)
      return !isEnough()
    },
    end: () => {
      const isWhole = order.isGapless() && order.size() === head.treeSize
      const roots = isWhole ? { computed: computed.root(), stated: stated.root() } : undefined
      const message = "The size, root or key next to the checkpoint differs from the signed one."
      const judged = before.judge(isWhole, head, breaks.all())
      const all: ReadonlyArray<Problem> = [
        ...(isTold(signed, head, verifierKey)
          ? []
          : [{ code: "no_checkpoint" as const, message, line: lines + 1 }]),
        ...unreadable,
        ...order.problems(!isEnough()),
        ...hashProblems(altered, roots, head),
        ...(isWhole ? breaks.problems(head) : []),
        ...judged.judged.filter((problem) => problem !== undefined)
      ]
      const rootHash = Base64.encode(head.rootHash)
      const { line, treeSize } = head
      const report = {
        ok: all.length === 0,
        head: { accountId: accountId ?? head.origin, treeSize, rootHash, line },
        breaks: BreakCheck.told(breaks.all(), judged.excused),
        problems: all
      }
      return { report, first, earlier: judged.judged, checkpoint: signed.checkpoint }
    }
  }
}

/** What is found in a file that is checked by itself: the entries before it are missing. */
const aloneIn = ({ first, report }: Found): Report => {
  if (first === 0) return report
  const message = `Entries 0 to ${first - 1} are in other files.`
  const problems: ReadonlyArray<Problem> = [{ code: "missing_file", message }, ...report.problems]
  return { ...report, ok: false, problems }
}

/** Checks a whole export at once. */
export const verifyExport = (
  cryptography: Cryptography,
  text: string,
  verifierKey: string,
  earlier: ReadonlyArray<string> = []
): Report => {
  const lines = text.split("\n")
  const end = lines.pop()
  const last = lines.pop()
  const checking = begin(cryptography, end === "" ? last : undefined, verifierKey, earlier)
  if (!("line" in checking)) return aloneIn(checking)
  lines.every(checking.line)
  return aloneIn(checking.end())
}
