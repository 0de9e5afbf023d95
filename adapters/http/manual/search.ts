/** Search over the manual, the operations and the error codes: every word must be there, and one in a title counts more. */
import { bound } from "../route.ts"
import { areaOf } from "./areas.ts"
import { type Section, sections } from "./guides/guides.ts"
import { served } from "./openapi.ts"

interface Entry extends Section {
  readonly sought: string
}

let index: ReadonlyArray<Entry> | undefined

const operationSections = (): ReadonlyArray<Section> =>
  bound.map((one) => ({
    title: one.operation.name,
    href: `/docs/api/${areaOf(one)}#${one.operation.name}`,
    text: `${one.operation.summary} ${Object.keys(one.operation.input.fields).join(" ")}`
  }))

const errorSections = (): ReadonlyArray<Section> =>
  served().map(({ code, meaning }) => ({
    title: code,
    href: `/docs/errors#${code}`,
    text: meaning
  }))

/** Made when somebody first searches. */
const entries = (): ReadonlyArray<Entry> => {
  index ??= [...operationSections(), ...errorSections(), ...sections()].map((section) => ({
    ...section,
    sought: `${section.title} ${section.text}`.toLowerCase()
  }))
  return index
}

export const maxQuery = 100
const maxFound = 30

const scoreOf = ({ title }: Entry, words: ReadonlyArray<string>): number => {
  const name = title.toLowerCase().replaceAll("_", " ")
  return words.filter((word) => name.includes(word)).length * 2 + (title.includes(":") ? 0 : 1)
}

/** What has all the words, the best first. */
export const found = (query: string): ReadonlyArray<Section> => {
  const words = query.slice(0, maxQuery).toLowerCase().split(/\s+/u).filter(Boolean)
  if (words.length === 0) return []
  return entries()
    .filter(({ sought }) => words.every((word) => sought.includes(word)))
    .sort((a, b) => scoreOf(b, words) - scoreOf(a, words))
    .slice(0, maxFound)
}

/** The words around the first hit. */
export const excerptOf = ({ text }: Section, query: string): string => {
  const [word = ""] = query.toLowerCase().split(/\s+/u)
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60)
  const part = text.slice(at, at + 180).trim()
  return `${at > 0 ? "… " : ""}${part}${text.length > at + 180 ? " …" : ""}`
}
