/** In the browser: reads what a form says as the input of an operation. The operation judges it. */

const lines = (text: string) => text.split(/[\s,]+/u).filter(Boolean)

export type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** `key=value`, one a line; a key alone has an empty value. */
const pairs = (text: string) =>
  Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim())
      .map((line) => {
        const [key = "", ...value] = line.split("=")
        return [key.trim(), value.join("=").trim()]
      })
  )

/** `100.5` in millionths; what is no amount goes on as it is, and is refused there by name. */
const micro = (text: string): string => {
  const [, whole, fraction = ""] = /^(\d+)(?:\.(\d{1,6}))?$/u.exec(text) ?? []
  return whole === undefined ? text : String(BigInt(`${whole}${fraction.padEnd(6, "0")}`))
}

/** Of fields that few pages have, whose script brings their reader. */
export const readers: Record<string, (field: Field) => unknown> = {}

/** What a field says, as JSON; undefined when it was left empty, unless it has to be sent. */
const readField = (field: Field): unknown => {
  const text = field.value.trim()
  const { as = "", sent } = field.dataset
  if (as === "boolean") return (field as HTMLInputElement).checked || undefined
  if (text === "" && sent === undefined) return as === "open-micro" ? null : undefined
  switch (as) {
    case "lines":
      return lines(text)
    case "map":
      return pairs(text)
    case "number":
      return /^-?\d+(\.\d+)?$/u.test(text) ? Number(text) : text
    case "micro":
    case "open-micro":
      return micro(text)
    case "day":
      return `${text}T23:59:59Z`
    default:
      return readers[as]?.(field) ?? text
  }
}

type Tree = Record<string, unknown>

/** Puts a value where a name such as `customer.externalId` or `rules.0.action` says. */
const put = (input: Tree, name: string, value: unknown) => {
  const path = name.split(".")
  const last = path.pop() as string
  let at = input
  for (const part of path) {
    at[part] ??= {}
    at = at[part] as Tree
  }
  at[last] = value
}

const isTree = (value: unknown): value is Tree => (value as Tree | null)?.constructor === Object

const isEmpty = (row: unknown) => isTree(row) && Object.values(row).every((value) => value === null)

/** Members `0`, `1`, … are a list, without the rows that nothing was written in. */
const listed = (value: unknown): unknown => {
  if (!isTree(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, listed(inner)] as const)
  return entries.length > 0 && entries.every(([name]) => /^\d+$/u.test(name))
    ? entries.map(([, inner]) => inner).filter((inner) => !isEmpty(inner))
    : Object.fromEntries(entries)
}

/** What a form says; what was left empty is left out. */
export const inputOf = (form: HTMLFormElement): Tree => {
  const input: Tree = {}
  for (const field of form.querySelectorAll<Field>("[data-as]")) {
    const { dataset, name, value } = field
    if (dataset.as === "list") {
      const chosen = (input[name] ?? []) as ReadonlyArray<string>
      if ((field as HTMLInputElement).checked) input[name] = [...chosen, value]
    } else {
      const said = readField(field)
      if (said !== undefined) put(input, name, said)
    }
  }
  return listed({ ...input, ...JSON.parse(form.dataset.input ?? "{}") }) as Tree
}
