/** Ids of rows that a statement makes by the thousand: told by their kind and their number, in the order of the numbers. */
import { createHash } from "node:crypto"

const beginningOf = (kind: string) =>
  `${createHash("md5").update(kind).digest("hex").slice(0, 8)}-0000-7000-8000-`

export const idOf = (kind: string, n: number): string =>
  `${beginningOf(kind)}${String(n).padStart(12, "0")}`

/** The same in SQL, by a number that stands there. */
export const inSql = (kind: string, n = "n"): string =>
  `('${beginningOf(kind)}' || lpad((${n})::text, 12, '0'))::uuid`
