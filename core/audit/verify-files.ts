/**
 * Checks the files of one log together, as those of closed years and an export of what came after: each holds by itself,
 * and each goes on from the tree in which another ends. A file that lacks is told apart from one that was changed.
 */
import type { FoundBreak, Problem, Report } from "./report.ts"
import type { Found } from "./verify.ts"

/** A file that was checked, with all checkpoints that it was checked against: those that were kept, then one of each file. */
export interface CheckedFile extends Found {
  readonly file: string
}

export interface FileProblem extends Problem {
  readonly file?: string
}

interface Whole extends Pick<CheckedFile, "file" | "first" | "earlier"> {
  readonly head: NonNullable<Report["head"]>
}

export interface FilesReport {
  readonly ok: boolean
  readonly problems: ReadonlyArray<FileProblem>
  readonly head: Report["head"]
  readonly breaks: ReadonlyArray<FoundBreak>
  /** What each file proved, in the order of the log. */
  readonly proved: ReadonlyArray<{
    readonly file: string
    readonly first: number
    readonly treeSize: number
  }>
}

/** The files that hold by themselves, from the log's beginning on. */
const wholeOf = (checked: ReadonlyArray<CheckedFile>): ReadonlyArray<Whole> =>
  checked
    .flatMap(({ earlier, file, first, report: { head, problems } }) => {
      const own = problems.filter((problem) => !earlier.includes(problem))
      return head === null || own.length > 0 ? [] : [{ file, first, head, earlier }]
    })
    .sort((one, other) => one.first - other.first || one.head.treeSize - other.head.treeSize)

/** Entries that are in no file. */
const missing = (files: ReadonlyArray<Pick<Whole, "first" | "head">>): ReadonlyArray<Problem> => {
  let covered = 0
  return files.flatMap(({ first, head }): ReadonlyArray<Problem> => {
    const from = covered
    covered = Math.max(covered, head.treeSize)
    if (first <= from) return []
    const message = `Entries ${from} to ${first - 1} are in none of these files: a file is missing.`
    return [{ code: "missing_file", message, sequence: from }]
  })
}

/** What is wrong with a checkpoint that no file continues: that of the file it is of, or of the last one. */
const uncontinued = (
  at: number,
  size: number | undefined,
  files: ReadonlyArray<Whole>
): FileProblem | undefined => {
  if (files.some(({ earlier }) => earlier[at] === undefined)) return undefined
  const own =
    size === undefined
      ? undefined
      : files.find(({ first, head }) => first <= size && size <= head.treeSize)
  const { earlier, file } = own ?? (files.at(-1) as Whole)
  const problem = earlier[at]
  return problem === undefined || size === undefined ? problem : { ...problem, file }
}

/** Where two files have entries of the same places, the end of the one has to be in the other. */
const contradictions = (files: ReadonlyArray<Whole>, kept: number): ReadonlyArray<FileProblem> =>
  files.flatMap((one, at) => {
    const others = files.filter(
      (each) =>
        each !== one && each.first <= one.head.treeSize && one.head.treeSize <= each.head.treeSize
    )
    const note = kept + at
    if (others.length === 0 || others.some(({ earlier }) => earlier[note] === undefined)) return []
    const message = `${one.file} ends in another log than ${others[0]?.file} goes on from.`
    return [{ code: "earlier_mismatch" as const, message, file: one.file }]
  })

/**
 * What is found in files that were each checked against the `sizes.length` checkpoints that were kept, and then against
 * the checkpoint of every file, in the order of the files.
 */
export const together = (
  checked: ReadonlyArray<CheckedFile>,
  sizes: ReadonlyArray<number | undefined>
): FilesReport => {
  const whole = wholeOf(checked)
  const wrong = checked.flatMap(({ earlier, file, report }) =>
    report.problems
      .filter((problem) => !earlier.includes(problem))
      .map((problem): FileProblem => ({ ...problem, file }))
  )
  // Notes stand in the order in which the files were named.
  const inOrder = checked.flatMap(({ file }) => whole.filter((each) => each.file === file))
  const isEach = inOrder.length === checked.length
  const problems = [
    ...wrong,
    ...missing(checked.flatMap(placeOf).sort((one, other) => one.first - other.first)),
    ...(isEach
      ? [
          ...sizes.flatMap((size, at) => uncontinued(at, size, whole) ?? []),
          ...contradictions(inOrder, sizes.length)
        ]
      : [])
  ]
  const breaks = new Map<number, FoundBreak>()
  for (const { report } of checked) {
    for (const each of report.breaks) {
      const before = breaks.get(each.sequence)
      if (before === undefined || before.lost < each.lost) breaks.set(each.sequence, each)
    }
  }
  return {
    ok: problems.length === 0,
    problems,
    head: whole.reduce<Report["head"]>(
      (most, { head }) => (most !== null && most.treeSize > head.treeSize ? most : head),
      null
    ),
    breaks: [...breaks.values()].sort((one, other) => one.sequence - other.sequence),
    proved: whole.map(({ file, first, head }) => ({ file, first, treeSize: head.treeSize }))
  }
}

/** A file that was changed is there all the same. */
const placeOf = ({
  first,
  report: { head }
}: CheckedFile): ReadonlyArray<Pick<Whole, "first" | "head">> =>
  head === null ? [] : [{ first, head }]
