/**
 * In which form an answer is printed: a table that fits, all of it as text, JSON to the byte, or values separated by
 * commas. A terminal gets a table unless it asks, and whatever reads a pipe gets JSON.
 */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import { csvOf } from "../../adapters/pages/console/parts/csv.ts"
import { type Field, ownFlag } from "./field.ts"
import { isObject, lines, listOf } from "./print.ts"
import { Shell } from "./shell.ts"
import type { Fields } from "./table.ts"

export const formats = ["table", "wide", "json", "csv"] as const
export type Format = (typeof formats)[number]

/** What each form is, in the words of the help and the manual. */
export const meanings: Readonly<Record<Format, string>> = {
  table:
    "the most telling columns, as many as fit the terminal, times to the minute. The default in a terminal.",
  wide: "every field, however wide that is.",
  json: "the service's data unchanged. The default where the output is no terminal, as in a pipe or a file.",
  csv: "every field with a line of names, for spreadsheets; what has parts is JSON in its cell."
}

export const outputFlags = (
  fields: ReadonlyArray<Field> = [],
  usual = "Default: table in a terminal, json otherwise."
) => ({
  output: Flag.Literals(ownFlag(fields, "output"), formats).pipe(
    Flag.withAlias("o"),
    Flag.withMetavar(`<${formats.join("|")}>`),
    Flag.withDescription(`How to print the answer. ${usual}`),
    Flag.optional
  ),
  json: Flag.Boolean(ownFlag(fields, "json")).pipe(
    Flag.withDescription("The same as --output json."),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
})

/** The form that was asked for, or that suits whoever reads. */
export const formatOf = Effect.fnUntraced(function* (asked: Format | undefined, isJson: boolean) {
  const { columns } = yield* Shell
  return asked ?? (isJson || columns === undefined ? "json" : "table")
})

const text = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : typeof value === "string"
      ? value
      : JSON.stringify(value)

/** The rows of a list, or of an answer that is nothing else; what is no object stands under the list's name. */
const rowsOf = (data: unknown): ReadonlyArray<Fields> => {
  const list = listOf(data)
  const [only, ...others] = list === undefined ? Object.entries(data as Fields) : [list]
  const [name, rows] = only ?? []
  if (name === undefined || others.length > 0 || !Array.isArray(rows)) return [data as Fields]
  return rows.map((row: unknown) => (isObject(row) ? row : { [name]: row }))
}

const asCsv = (data: unknown): string => {
  const rows = rowsOf(data)
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return csvOf(
    names,
    rows.map((row) => names.map((name) => text(row[name]))),
    "\n"
  )
}

/** The data of an answer as it is printed, without the last line break. */
export const rendered = Effect.fnUntraced(function* (json: string, format: Format) {
  if (format === "json") return json
  const data: unknown = JSON.parse(json)
  if (format === "csv") return asCsv(data).replace(/\n$/u, "")
  const { columns } = yield* Shell
  return lines(data, format === "wide" ? undefined : columns).join("\n")
})
