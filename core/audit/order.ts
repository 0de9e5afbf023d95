/**
 * Whether the entries of an exported log are all there, once each and in order. What is kept is what is wrong: gaps and
 * what fills them, not the entries.
 */
import type { Problem, ProblemCode } from "./report.ts"

/** An entry as it stands in the file. */
interface Place {
  readonly accountId: string
  readonly line: number
  readonly sequence: number
}

/** Places that have not come, the last included. */
interface Gap {
  readonly from: number
  readonly to: number
}

const ofRange = ({ from, to }: Gap) =>
  from === to ? `Entry ${from} is` : `Entries ${from} to ${to} are`

/** The gaps without one place; undefined when it is in none. */
const filled = (gaps: ReadonlyArray<Gap>, place: number): Array<Gap> | undefined => {
  const at = gaps.findIndex(({ from, to }) => from <= place && place <= to)
  const gap = gaps[at]
  if (gap === undefined) return undefined
  const left = [
    { from: gap.from, to: place - 1 },
    { from: place + 1, to: gap.to }
  ].filter(({ from, to }) => from <= to)
  return gaps.toSpliced(at, 1, ...left)
}

/** `first` is where the file begins: what is before it is in others. */
export const make = (accountId: string | undefined, treeSize: number, first = 0) => {
  const problems: Array<Problem> = []
  const below = new Set<number>()
  let gaps: Array<Gap> = []
  let highest = first - 1
  let isGapless = true

  const judge = (sequence: number): [ProblemCode, string] | undefined => {
    if (sequence > highest) {
      if (sequence > highest + 1) gaps.push({ from: highest + 1, to: sequence - 1 })
      highest = sequence
      return undefined
    }
    const left = filled(gaps, sequence)
    const isNew = left !== undefined || (sequence < first && !below.has(sequence))
    if (left !== undefined) gaps = left
    if (sequence < first) below.add(sequence)
    return isNew
      ? ["misplaced_entry", `Entry ${sequence} comes after entry ${highest}.`]
      : ["repeated_entry", `Entry ${sequence} is in the file twice.`]
  }

  return {
    next: ({ accountId: of, line, sequence }: Place) => {
      const add = (code: ProblemCode, message: string) =>
        problems.push({ code, message, sequence, line })
      if (of !== accountId) {
        add("foreign_entry", `Entry ${sequence} belongs to another account than the checkpoint.`)
      }
      isGapless &&= sequence === highest + 1
      const wrong = judge(sequence)
      if (wrong !== undefined) add(...wrong)
      if (sequence < 0 || sequence >= treeSize) {
        add(
          "surplus_entry",
          `Entry ${sequence} is not covered by a checkpoint of ${treeSize} entries.`
        )
      }
    },
    /** Whether each entry so far followed the one before it, from 0 on. */
    isGapless: () => isGapless,
    size: () => highest + 1,
    /** How much is kept of what is wrong. */
    count: () => problems.length + gaps.length,
    /** With what is missing, where the file was read to its end. */
    problems: (isRead: boolean): ReadonlyArray<Problem> => {
      if (!isRead) return problems
      const end = { from: highest + 1, to: treeSize - 1 }
      const missing = [...gaps, end]
        .map(({ from, to }) => ({ from, to: Math.min(to, treeSize - 1) }))
        .filter(({ from, to }) => from <= to)
        .map((gap): Problem => {
          const message = `${ofRange(gap)} missing.`
          return { code: "missing_entries", message, sequence: gap.from }
        })
      return [...problems, ...missing]
    }
  }
}
