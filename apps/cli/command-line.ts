/** A call of an operation written out as a command line, ready to be copied into a shell. */
import type * as Operation from "../../core/operation/operation.ts"
import { type Field, fieldsOf, kebab, ownFlag, positionalOf } from "./field.ts"

const plainWord = /^[\w@%+=:,./-]+$/u

/** A word as a POSIX shell reads it back. */
export const quoted = (word: string): string =>
  plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

const isFlatMap = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).length > 0 &&
  Object.entries(value).every(
    ([key, text]) => typeof text === "string" && /^[^={]/u.test(key) && !key.includes("=")
  )

const textsOf = ({ sort }: Field, value: unknown): ReadonlyArray<string> => {
  if (sort === "map" && isFlatMap(value)) {
    return Object.entries(value).map(([key, text]) => `${key}=${text}`)
  }
  return [typeof value === "string" ? value : JSON.stringify(value)]
}

/** A flag with its value; a value that looks like a flag itself is tied to it. */
const wordsOf = (field: Field, value: unknown): ReadonlyArray<string> => {
  if (typeof value === "boolean") return [value ? `--${field.flag}` : `--no-${field.flag}`]
  return textsOf(field, value).flatMap((text) =>
    text.startsWith("-") ? [`--${field.flag}=${text}`] : [`--${field.flag}`, text]
  )
}

/** The words of a call, the name of the program left out. */
export const argumentsOf = (
  operation: Operation.Any,
  input: Readonly<Record<string, unknown>>
): ReadonlyArray<string> => {
  const positional = positionalOf(operation)
  const id = positional === undefined ? undefined : input[positional.name]
  const isAlone = typeof id === "string" && !id.startsWith("-") && id !== ""
  return [
    kebab(operation.name),
    ...(isAlone ? [id] : []),
    ...fieldsOf(operation).flatMap((field) =>
      input[field.name] === undefined || (isAlone && field.name === positional?.name)
        ? []
        : wordsOf(field, input[field.name])
    )
  ]
}

/** What was said of the service on the command line before; a key is never said again. */
export interface Spoken {
  readonly url?: string | undefined
  readonly as?: string | undefined
}

const spokenWords = (operation: Operation.Any, { as, url }: Spoken): ReadonlyArray<string> => {
  const fields = fieldsOf(operation)
  return [
    ...(url === undefined ? [] : [`--${ownFlag(fields, "url")}`, url]),
    ...(as === undefined ? [] : [`--${ownFlag(fields, "as")}`, as])
  ]
}

export const commandLine = (
  operation: Operation.Any,
  input: Readonly<Record<string, unknown>>,
  spoken: Spoken = {}
): string =>
  ["bursar", ...argumentsOf(operation, input), ...spokenWords(operation, spoken)]
    .map(quoted)
    .join(" ")
