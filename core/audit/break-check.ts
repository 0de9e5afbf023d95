/**
 * Checks the breaks of an exported log: each must be signed over exactly the entries before it, by the log's own key, and
 * lead to a later line. A break excuses what checkpoints of the line before have beyond it, and nothing else.
 */

import * as Base64 from "../encoding/base64.ts"
import * as Break from "./break.ts"
import type { ReadEntry } from "./export.ts"
import { type Cryptography, type FoundBreak, openCheckpoint, type Problem } from "./report.ts"
import type { TreeHead } from "./tree-head.ts"

/** Why an entry that says that another line begins there is no break; undefined when it is one. */
const whyForged = (
  { facts, sequence }: ReadEntry,
  head: TreeHead,
  root: string,
  lineSoFar: number | undefined
): string | undefined => {
  const { line, nextLine, rootHash, treeSize } = head
  if (nextLine === undefined) return "what is signed there is a checkpoint and no break"
  if (nextLine <= line) return `line ${nextLine} does not follow line ${line}`
  if (lineSoFar !== undefined && line !== lineSoFar)
    return `it ends line ${line}, while the log is on line ${lineSoFar}`
  if (treeSize !== sequence)
    return `it is signed over the first ${treeSize} entries and not over the ${sequence} before it`
  if (Base64.encode(rootHash) !== root)
    return "it is signed over other entries than stand before it"
  const isTold =
    facts.line === String(nextLine) &&
    facts.lineBefore === String(line) &&
    facts.entriesBefore === String(treeSize)
  return isTold ? undefined : "it says something else than what is signed"
}

export const make = (cryptography: Cryptography, verifierKey: string) => {
  const breaks: Array<Break.Break> = []
  const problems: Array<Problem> = []
  const lineSoFar = () => breaks.at(-1)?.line
  return {
    /** Looks at an entry that follows all before it, whose root is asked for only of a break. */
    next: (entry: ReadEntry, fileLine: number, root: () => string) => {
      if (entry.action !== Break.action) return
      const { sequence } = entry
      const forged = (why: string) => {
        const message = `Entry ${sequence} says that another line begins there, but ${why}.`
        problems.push({ code: "forged_break", message, sequence, line: fileLine })
      }
      const opened = openCheckpoint(cryptography, entry.facts.checkpoint ?? "", verifierKey)
      if ("problem" in opened) return forged("its checkpoint is not signed with the log's key")
      const why = whyForged(entry, opened.head, root(), lineSoFar())
      if (why !== undefined) return forged(why)
      const { line, nextLine = line } = opened.head
      breaks.push({ sequence, line: nextLine, lineBefore: line })
    },
    count: () => problems.length,
    /** What is wrong with the breaks of a log with this checkpoint. */
    problems: (head: TreeHead): ReadonlyArray<Problem> => {
      const line = lineSoFar() ?? head.line
      if (line === head.line || problems.length > 0) return problems
      const message = `The checkpoint is of line ${head.line}, but the last line that an entry begins is ${line}.`
      return [{ code: "forged_break", message }]
    },
    all: (): ReadonlyArray<Break.Break> => breaks
  }
}

/** How a checkpoint from before stands to a log: whether it must be its beginning, or which break excuses what it has more. */
export const excusing = (
  breaks: ReadonlyArray<Break.Break>,
  earlier: TreeHead
): Break.Break | undefined =>
  breaks.find(
    ({ line, lineBefore, sequence }) =>
      earlier.line < line &&
      (earlier.line > lineBefore || (earlier.line === lineBefore && earlier.treeSize > sequence))
  )

/** The breaks as they are told, with how much of the line before is known to be lost. */
export const told = (
  breaks: ReadonlyArray<Break.Break>,
  excused: ReadonlyMap<Break.Break, TreeHead>
): ReadonlyArray<FoundBreak> =>
  breaks.map((each) => {
    const most = excused.get(each)
    const lost = most === undefined ? 0 : Math.max(0, most.treeSize - each.sequence)
    const kept =
      lost === 0
        ? ""
        : ` A checkpoint that you kept shows that at least ${lost} of them were there.`
    return { ...each, lost, message: `${Break.messageOf(each)}${kept}` }
  })
