/**
 * The text of a statement, put together once for all that are made of the same parts. The same text is the same string
 * then, which is found again in every table of texts without being read; values never are part of it.
 */
import type * as Statement from "effect/sql/Statement"
import type * as Merged from "./merged.ts"

/** What follows a part, by what it says. */
interface Part {
  readonly words: Map<string, Part>
  readonly names: Map<string, Part>
  value: Part | undefined
  /** Of statements that end here. */
  text: string | undefined
}

const part = (): Part => ({ words: new Map(), names: new Map(), value: undefined, text: undefined })

const first = part()

/** As many parts are known at most; there are a few thousand. Any other statement is put together each time. */
const maxParts = 20_000
let known = 0

const newPart = (): Part | undefined => {
  known += 1
  return known > maxParts ? undefined : part()
}

const partOf = (parts: Map<string, Part>, name: string): Part | undefined => {
  const found = parts.get(name)
  if (found !== undefined) return found
  const made = newPart()
  if (made !== undefined) parts.set(name, made)
  return made
}

/** Undefined where what is said depends on the values, or nothing more is remembered. */
const after = (before: Part, segment: Statement.Segment): Part | undefined => {
  switch (segment._tag) {
    case "Literal":
      return segment.params === undefined ? partOf(before.words, segment.value) : undefined
    case "Identifier":
      return partOf(before.names, segment.value)
    case "Parameter":
      before.value ??= newPart()
      return before.value
    default:
      return undefined
  }
}

/** A statement of a client. */
export type Compiling = Pick<Statement.Statement<unknown>, "compile" | "segments">

const compiled = (statement: Compiling): Merged.Said => {
  const [text, parameters] = statement.compile()
  return { statement: text, parameters }
}

export const saidBy = (statement: Compiling): Merged.Said => {
  let at = first
  const parameters: Array<unknown> = []
  for (const segment of statement.segments) {
    const next = after(at, segment)
    if (next === undefined) return compiled(statement)
    if (segment._tag === "Parameter") parameters.push(segment.value)
    at = next
  }
  at.text ??= statement.compile()[0]
  return { statement: at.text, parameters }
}
