/** The few pieces of Markdown the manual is made of. Cells are escaped here, so no page has to. */

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

/** A table; a column in which no row says anything is left out. */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const says = heads.map((_, column) => rows.some((row) => row[column] !== ""))
  const kept = (row: ReadonlyArray<string>) => row.filter((_, column) => says[column])
  return [heads, heads.map(() => "---"), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${kept(row).join(" | ")} |`)
    .join("\n")
}

export const code = (text: string): string => `\`${text}\``

export const fence = (language: string, text: string): string =>
  `\`\`\`${language}\n${text}\n\`\`\``

export const json = (value: unknown): string => fence("json", JSON.stringify(value, null, 2))

/** Joins blocks with an empty line between; an undefined block is left out. */
export const page = (blocks: ReadonlyArray<string | undefined>): string =>
  `${blocks.filter((block) => block !== undefined).join("\n\n")}\n`

/** Said at the head of every generated page, so that nobody mends the copy. */
export const generated = (from: string): string =>
  `<!-- Generated from ${from} by \`npm run manual\`. Edit the source, not this page. -->`
