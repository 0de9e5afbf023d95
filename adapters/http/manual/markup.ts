/** Writes HTML as text. Whatever is put into a template is escaped, unless it is markup itself. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (value: unknown): string => {
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return value.map(escaped).join("")
  return String(value).replace(/[&<>"']/gu, (character) => escapes[character] ?? "")
}

export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<unknown>): Markup =>
  new Markup(parts.map((part, index) => part + escaped(values[index] ?? "")).join(""))

/** Text in which `backticks` mark code. */
export const prose = (text: string): Markup =>
  html`${text.split("`").map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`
