/**
 * Rows as a table that fits its terminal. Amounts stand as the service wrote them, and text of anybody's making
 * cannot move the cursor or hide what it says.
 */
import { flexible } from "./columns.ts"

export type Fields = Readonly<Record<string, unknown>>

/** Controls, and the marks that turn the direction of writing around. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

export const printable = (text: string): string =>
  text.replaceAll(unprintable, (character) =>
    character === "\n"
      ? "\\n"
      : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
  )

/** What says nothing has no text of its own. */
export const cell = (value: unknown): string => {
  if (value === null || value === undefined) return "-"
  if (typeof value === "string") return value === "" ? "-" : printable(value)
  if (Array.isArray(value) && !value.some((each) => typeof each === "object")) {
    return value.length === 0 ? "-" : value.map(cell).join(", ")
  }
  return printable(JSON.stringify(value))
}

const instant = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z$/u

/** In a terminal an instant stands to the minute; the seconds are in every other form. */
const shortCell = (value: unknown): string =>
  typeof value === "string" ? cell(value.replace(instant, "$1 $2Z")) : cell(value)

export const widthOf = (text: string): number => [...text].length

const cut = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${[...text].slice(0, width - 1).join("")}…`

interface Column {
  readonly name: string
  readonly cells: ReadonlyArray<string>
  /** Of the widest cell, and of what it can be cut to. */
  readonly width: number
  readonly least: number
}

/** Below this a cut text says nothing. */
const minWidth = 14
const gap = 2

const columnOf = (
  name: string,
  rows: ReadonlyArray<Fields>,
  text: (value: unknown) => string
): Column => {
  const cells = [name, ...rows.map((row) => text(row[name]))]
  const width = Math.max(...cells.map(widthOf))
  return { name, cells, width, least: flexible.has(name) ? Math.min(width, minWidth) : width }
}

const total = (widths: ReadonlyArray<number>) =>
  widths.reduce((sum, width) => sum + width, gap * (widths.length - 1))

/** As many of the columns as fit, cut where they may be; the first always stands. */
const fitting = (columns: ReadonlyArray<Column>, most: number): ReadonlyArray<Column> => {
  let shown = columns
  while (shown.length > 1 && total(shown.map(({ least }) => least)) > most) {
    shown = shown.slice(0, -1)
  }
  let spare = Math.max(0, most - total(shown.map(({ least }) => least)))
  return shown.map((column) => {
    const width = Math.min(column.width, column.least + spare)
    spare -= width - column.least
    return { ...column, width, cells: column.cells.map((text) => cut(text, width)) }
  })
}

const line = (columns: ReadonlyArray<Column>, at: number): string =>
  columns
    .map(({ cells, width }) => {
      const text = cells[at] ?? ""
      return text + " ".repeat(width - widthOf(text))
    })
    .join(" ".repeat(gap))
    .trimEnd()

const fieldNames = (rows: ReadonlyArray<Fields>): ReadonlyArray<string> => [
  ...new Set(rows.flatMap((row) => Object.keys(row)))
]

const saysSomething = ({ cells }: Column) => cells.slice(1).some((text) => text !== "-")

/** A table of the fields that say something in any row; a terminal of a width shows those chosen for it, if they fit. */
export const table = (
  rows: ReadonlyArray<Fields>,
  most: number | undefined,
  chosen?: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const text = most === undefined ? cell : shortCell
  const all = fieldNames(rows)
    .map((name) => columnOf(name, rows, text))
    .filter(saysSomething)
  const wanted =
    chosen === undefined || most === undefined
      ? all
      : chosen.flatMap((name) => all.find((column) => column.name === name) ?? [])
  const shown = most === undefined ? wanted : fitting(wanted.length === 0 ? all : wanted, most)
  const lines = ["", ...rows].map((_, at) => line(shown, at))
  const hidden = all.length - shown.length
  return hidden === 0
    ? lines
    : [...lines, `(${hidden} more ${hidden === 1 ? "column" : "columns"} with --output wide)`]
}
