/** Data for people: a table for a list, a line a field for an object. */
import { columnsOf } from "./columns.ts"
import { widest, wrapped } from "./help.ts"
import { cell, type Fields, printable, table, widthOf } from "./table.ts"

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isRows = (value: unknown): value is ReadonlyArray<Fields> =>
  Array.isArray(value) && value.length > 0 && value.every(isObject)

const flat = (fields: Fields, prefix = ""): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fields).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? flat(value, `${prefix}${name}.`)
      : [[prefix + name, value] as const]
  )

const indented = (lines: ReadonlyArray<string>) =>
  lines.map((line) => (line === "" ? "" : `  ${line}`))

/** What is to be signed as it stands is printed as it stands, line by line between two rules. */
const toSign = "challenge.message"
const rule = "-".repeat(20)

const verbatim = (name: string, text: string): ReadonlyArray<string> => [
  `${name}, to be signed exactly as printed between the lines:`,
  rule,
  ...text.split("\n").map(printable),
  rule
]

interface Article {
  readonly title: string
  readonly body: string
}

const isArticle = ({ title, body, ...more }: Fields): boolean =>
  typeof title === "string" && typeof body === "string" && Object.keys(more).length === 0

/** Text to read, which no column is wide enough for. */
const articles = (rows: ReadonlyArray<Article>, most: number): ReadonlyArray<string> =>
  rows.flatMap(({ body, title }, at) => [
    ...(at === 0 ? [] : [""]),
    printable(title),
    ...indented(wrapped(printable(body), most - 2))
  ])

const rowsOf = (
  name: string,
  rows: ReadonlyArray<Fields>,
  most: number | undefined
): ReadonlyArray<string> =>
  rows.every(isArticle)
    ? articles(rows as unknown as ReadonlyArray<Article>, Math.min(widest, most ?? widest))
    : table(rows, most, columnsOf(name))

const object = (fields: Fields, most: number | undefined): ReadonlyArray<string> => {
  const entries = flat(fields)
  const plain = entries.filter(([, value]) => !isRows(value))
  const widest = Math.max(0, ...plain.map(([name]) => widthOf(name)))
  return entries.flatMap(([name, value]) =>
    isRows(value)
      ? [`${name}:`, ...indented(rowsOf(name, value, most === undefined ? most : most - 2))]
      : name === toSign && typeof value === "string"
        ? verbatim(name, value)
        : [`${name}:${" ".repeat(widest - widthOf(name) + 1)}${cell(value)}`]
  )
}

/** The list of a page, when that is what an answer is. */
export const listOf = (data: unknown): readonly [string, ReadonlyArray<Fields>] | undefined => {
  if (!isObject(data)) return undefined
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
  return rows.length === 0
    ? [`No ${name.replaceAll("_", " ")}.`]
    : table(rows, most, columnsOf(name))
}

/** The cursor of the page after this one, if there is one. */
export const cursorAfter = (data: unknown): string | undefined =>
  isObject(data) && data.hasMore === true && typeof data.nextCursor === "string"
    ? data.nextCursor
    : undefined
