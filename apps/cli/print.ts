/**
 * Data for people: a table for a list, a line a field for an object. Amounts stand as the service wrote
 * them, and text of anybody's making cannot move the cursor or hide what it says.
 */

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isRows = (value: unknown): value is ReadonlyArray<Fields> =>
  Array.isArray(value) && value.length > 0 && value.every(isObject)

/** Controls, and the marks that turn the direction of writing around. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

export const printable = (text: string): string =>
  text.replaceAll(unprintable, (character) =>
    character === "\n"
      ? "\\n"
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
  )

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  if (typeof value === "string") return value === "" ? "-" : printable(value)
  if (Array.isArray(value) && !value.some((each) => typeof each === "object")) {
    return value.length === 0 ? "-" : value.map(cell).join(", ")
  }
  return printable(JSON.stringify(value))
}

const width = (text: string): number => [...text].length

const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => width(row[column] ?? "")))
  )
  return rows.map((row) =>
    row
      .map((text, column) => text + " ".repeat((widths[column] ?? 0) - width(text)))
      .join("  ")
      .trimEnd()
  )
}

/** As many of the columns as fit; the first always does. */
const fitting = (columns: ReadonlyArray<ReadonlyArray<string>>, most: number | undefined) => {
  if (most === undefined) return columns
  let used = 0
  return columns.filter((column, at) => {
    used += Math.max(...column.map(width)) + (at === 0 ? 0 : 2)
    return at === 0 || used <= most
  })
}

/** A table of the fields that say something in any row; those that do not fit a terminal are left out. */
export const table = (
  rows: ReadonlyArray<Fields>,
  most: number | undefined
): ReadonlyArray<string> => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const columns = names
    .map((name) => [name, ...rows.map((row) => cell(row[name]))])
    .filter(([, ...cells]) => cells.some((text) => text !== "-"))
  const shown = fitting(columns, most)
  const lines = aligned(["", ...rows].map((_, at) => shown.map((column) => column[at] ?? "")))
  const hidden = columns.slice(shown.length).map(([name]) => name)
  return hidden.length === 0 ? lines : [...lines, `(not shown: ${hidden.join(", ")})`]
}

const flat = (fields: Fields, prefix = ""): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fields).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? flat(value, `${prefix}${name}.`)
      : [[prefix + name, value] as const]
  )

const indented = (lines: ReadonlyArray<string>) => lines.map((line) => `  ${line}`)

/** What is to be signed as it stands is printed as it stands, line by line between two rules. */
const toSign = "challenge.message"
const rule = "-".repeat(20)

const verbatim = (name: string, text: string): ReadonlyArray<string> => [
  `${name}, to be signed exactly as printed between the lines:`,
  rule,
  ...text.split("\n").map(printable),
  rule
]

const object = (fields: Fields, most: number | undefined): ReadonlyArray<string> => {
  const entries = flat(fields)
  const plain = entries.filter(([, value]) => !isRows(value))
  const widest = Math.max(0, ...plain.map(([name]) => width(name)))
  return entries.flatMap(([name, value]) =>
    isRows(value)
      ? [`${name}:`, ...indented(table(value, most === undefined ? most : most - 2))]
      : name === toSign && typeof value === "string"
        ? verbatim(name, value)
        : [`${name}:${" ".repeat(widest - width(name) + 1)}${cell(value)}`]
  )
}

/** The list of a page, when that is what an answer is. */
const listOf = (data: Fields): readonly [string, ReadonlyArray<Fields>] | undefined => {
  const { hasMore, nextCursor: _, ...rest } = data
  const [only, ...others] = Object.entries(rest)
  if (typeof hasMore !== "boolean" || only === undefined || others.length > 0) return undefined
  return Array.isArray(only[1]) ? [only[0], only[1]] : undefined
}

/** The lines of an answer's data, for a terminal so many columns wide. */
export const lines = (data: unknown, most: number | undefined): ReadonlyArray<string> => {
  if (!isObject(data)) return [cell(data)]
  const list = listOf(data)
  if (list === undefined) return object(data, most)
  const [name, rows] = list
  return rows.length === 0 ? [`No ${name.replaceAll("_", " ")}.`] : table(rows, most)
}

/** The cursor of the page after this one, if there is one. */
export const cursorAfter = (data: unknown): string | undefined =>
  isObject(data) && data.hasMore === true && typeof data.nextCursor === "string"
    ? data.nextCursor
    : undefined
