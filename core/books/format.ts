/**
 * A format of books: how a statement begins, how each movement is written, and how it ends. Everything is text that is
 * handed over piece by piece, so that a file of any length takes little memory.
 */
import type { Movement } from "./movement.ts"
import type { Held, Statement } from "./statement.ts"

/** Whether anything of a token in a wallet is to be told: it had some, has some, or some of it moved. */
export type IsActive = (held: Held) => boolean

export interface Format {
  readonly head: (statement: Statement) => string
  readonly movement: (movement: Movement) => string
  readonly tail: (statement: Statement, isActive: IsActive) => string
  /** Where movements stand together by wallet and token: what is written around those of one. */
  readonly around?: (
    statement: Statement,
    held: Held
  ) => { readonly before: string; readonly after: string } | undefined
}

/** A line of text that no format takes for anything else. */
export const line = (text: string): string =>
  text
    .replace(/[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069;|"\\]+/gu, " ")
    .replace(/\s+/gu, " ")
    .trim()
    .slice(0, 200)
