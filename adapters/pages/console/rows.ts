/**
 * In the browser: reads rows that were pasted from a spreadsheet, or written one a line, as the objects of a list. What
 * no column is for goes on under its place or its name, so that the operation refuses it and nothing is left out unsaid.
 */

/** What spreadsheets part cells by: tabs when cells are copied, and in a file what is no decimal sign there. */
const separatorOf = (line: string): string =>
  line.includes("\t") ? "\t" : line.includes(";") && !line.includes(",") ? ";" : ","

/** RFC 4180, with any separator: a quoted cell holds separators, ends of lines, and quotes that are doubled. */
export const cellsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const separator = separatorOf(text.split(/\r?\n/u, 1)[0] ?? "")
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`,
    "uy"
  )
  const rows: Array<Array<string>> = [[]]
  while (cell.lastIndex < text.length) {
    const [whole, quoted, plain = "", end] = cell.exec(text) ?? []
    if (whole === undefined) break
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain.trim())
    if (end !== separator && end !== "") rows.push([])
  }
  return rows.filter((row) => row.some((each) => each !== ""))
}

const within = "metadata."

/** The objects that rows say, by columns in their order or by a first line of their names. */
export const rowsIn = (
  text: string,
  columns: ReadonlyArray<string>
): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const [first, ...others] = cellsOf(text)
  if (first === undefined) return []
  const known = (name: string) => columns.includes(name) || name.startsWith(within)
  const isHeader = first.includes(columns[0] ?? "") || (first.length > 1 && first.every(known))
  const names = isHeader ? first : columns
  return (isHeader ? others : [first, ...others]).map((cells) => {
    const row: Record<string, unknown> = {}
    const tags: Record<string, string> = {}
    for (const [at, cell] of cells.entries()) {
      const name = names[at] ?? `column ${at + 1}`
      if (cell === "") continue
      if (name.startsWith(within)) tags[name.slice(within.length)] = cell
      else row[name] = cell
    }
    return Object.keys(tags).length === 0 ? row : { ...row, metadata: tags }
  })
}
