/** HTML as values. Everything put into a template is escaped unless it is markup itself. */

export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | ReadonlyArray<Markup> | string | number

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/gu, (character) => escapes[character] ?? character)

const write = (part: Part): string => {
  if (part instanceof Markup) return part.text
  if (Array.isArray(part)) return (part as ReadonlyArray<Markup>).map(write).join("")
  return escaped(String(part))
}

export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Markup =>
  new Markup(
    strings.reduce((text, string, index) => {
      const part = parts[index]
      return text + string + (part === undefined ? "" : write(part))
    }, "")
  )

export const nothing = new Markup("")
