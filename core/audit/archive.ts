/**
 * The texts of closed years in files: which entries may go there, and what the log keeps of them for ever, which is
 * their places, their hashes and the name of the file. What is in no recorded file keeps its text.
 */
import { DateTime, Schema } from "effect"
import * as Timestamp from "../time/timestamp.ts"

/** Entries of an account's log whose texts are in a file, from one place up to, and without, another. */
export interface Archive {
  readonly accountId: string
  readonly first: number
  readonly end: number
  /** All of them were made before. */
  readonly before: DateTime.Utc
  readonly file: string
  /** Of the whole file, in hex. */
  readonly sha256: string
  readonly archivedAt: DateTime.Utc
}

/** An archive as it is told. */
export const fields = {
  file: Schema.String.annotate({ description: "The name of the file." }),
  sha256: Schema.String.annotate({ description: "Of the whole file, in hex." }),
  first: Schema.Int.annotate({ description: "The sequence of its first entry." }),
  end: Schema.Int.annotate({ description: "The sequence after that of its last entry." }),
  before: Timestamp.Encoded.annotate({ description: "All its entries were made before." })
}

export const view = ({ before, end, file, first, sha256 }: Archive) => ({
  file,
  sha256,
  first,
  end,
  before
})

/** The name of a file says whose log and which places, so that one that is lost can be asked for. */
export const fileOf = ({
  accountId,
  end,
  first
}: Pick<Archive, "accountId" | "end" | "first">): string =>
  `audit-${accountId}-${first}-${end - 1}.jsonl`

/** How long after its end a year may still be looked into: refunds, disputes and the year's books. */
export const openDays = 90

/** The moment at which a year is over. */
export const yearEnd = (year: number): DateTime.Utc =>
  DateTime.makeUnsafe({ year: year + 1, month: 1, day: 1 })

const isOver = (end: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(DateTime.add(end, { days: openDays }), now)

/** Whether a year is over for so long that its texts may go. */
export const isClosed = (year: number, now: DateTime.Utc): boolean => isOver(yearEnd(year), now)

/** Whether texts of these times may stand in an archive: all were made before its time, and that was over for so long. */
export const isOldEnough = (
  { archivedAt, before }: Pick<Archive, "archivedAt" | "before">,
  madeAt: ReadonlyArray<DateTime.Utc>
): boolean => isOver(before, archivedAt) && madeAt.every((at) => DateTime.isLessThan(at, before))

/** The place at which the texts in the records begin. */
export const endOf = (archives: ReadonlyArray<Archive>): number => archives.at(-1)?.end ?? 0

/** Where the text of a place is; undefined when it is in the records. */
export const holding = (archives: ReadonlyArray<Archive>, sequence: number): Archive | undefined =>
  archives.find(({ end, first }) => first <= sequence && sequence < end)
