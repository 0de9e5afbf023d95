/** The statements that open a transaction, mark a part of it and take that back. They hold nothing and write nothing. */
import type * as Merged from "./merged.ts"

export const begin: Merged.Write = { statement: "BEGIN", parameters: [], rows: undefined }

/** What opens a transaction or a part of it, or ends such a part well. */
export const isControl = ({ statement }: Pick<Merged.Said, "statement">): boolean =>
  /^(?:begin|savepoint|release)\b/iu.test(statement)

/** The part that a statement opens. */
export const savepointOf = (statement: string) => /^savepoint (\S+)$/iu.exec(statement)?.[1]

/** The part that it takes back. */
export const returnTo = (statement: string) =>
  /^rollback to savepoint (\S+)$/iu.exec(statement)?.[1]

/** The part that it ends well. */
export const releaseOf = (statement: string) => /^release savepoint (\S+)$/iu.exec(statement)?.[1]
