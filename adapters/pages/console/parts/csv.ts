/** Rows as a file of comma-separated values (RFC 4180), which no spreadsheet takes for a formula. */

/** A leading sign of a formula stands behind an apostrophe, as spreadsheets themselves write it. */
const quoted = (text: string): string => {
  const safe = /^[=+\-@\t\r]/u.test(text) && !/^-?\d+(\.\d+)?$/u.test(text) ? `'${text}` : text
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const csvOf = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  /** What ends a line; those within a text stay as they are. */
  end: "\r\n" | "\n" = "\r\n"
): string => [names, ...rows].map((cells) => `${cells.map(quoted).join(",")}${end}`).join("")
