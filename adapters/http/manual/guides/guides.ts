/** The manual's guides as pages and as sections that can be searched: each is rendered when it is first asked for. */
import { bound } from "../../route.ts"
import { areaOf } from "../areas.ts"
import type { Markup } from "../markup.ts"
import { built } from "./built.ts"
import { render, slugOf } from "./markdown.ts"
import { type GuideName, names, type Texts } from "./names.ts"

let read: Texts | undefined

const textOf = (name: GuideName): string => {
  read ??= built()
  return read[name]
}

export const isGuide = (name: string): name is GuideName =>
  (names as ReadonlyArray<string>).includes(name)

const operationAnchor = (name: string): string | undefined => {
  const one = bound.find(({ operation }) => operation.name === name)
  return one === undefined ? undefined : `/docs/api/${areaOf(one)}#${name}`
}

/** Links between pages lead on here; what only the sources have stays words. */
const linkTo = (target: string): string | undefined => {
  if (/^https:\/\//u.test(target) || target.startsWith("#")) return target
  const [, page = "", anchor = ""] = /^([a-z-]+)\.md(?:#(.*))?$/u.exec(target) ?? []
  if (page === "reference") return operationAnchor(anchor) ?? "/docs"
  if (page !== "errors" && !isGuide(page)) return undefined
  return anchor === "" ? `/docs/${page}` : `/docs/${page}#${anchor}`
}

export const titleOf = (name: GuideName): string => /^# (.*)$/mu.exec(textOf(name))?.[1] ?? name

/** Its first paragraph, which says what it is for. */
export const introOf = (name: GuideName): string => {
  const [, rest = ""] = textOf(name).split(/^# .*$/mu)
  const text = rest.trim().split("\n\n")[0] ?? ""
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll("**", "")
}

export const guide = (name: GuideName): Markup => render(textOf(name), linkTo)

export interface Section {
  readonly title: string
  readonly href: string
  readonly text: string
}

/** The sections of every guide, under their headings. */
export const sections = (): ReadonlyArray<Section> =>
  names.flatMap((name) =>
    textOf(name)
      .split(/^(?=#{1,3} )/mu)
      .filter((part) => part.startsWith("#"))
      .map((part) => {
        const [heading = "", ...rest] = part.split("\n")
        const title = heading.replace(/^#+ /u, "")
        const isWhole = heading.startsWith("# ")
        return {
          title: isWhole ? title : `${titleOf(name)}: ${title.replaceAll("`", "")}`,
          href: isWhole ? `/docs/${name}` : `/docs/${name}#${slugOf(title)}`,
          text: rest
            .join(" ")
            .replaceAll(/[|`*]|\]\([^)]*\)|\[/gu, " ")
            .replaceAll(/\s+/gu, " ")
        }
      })
  )
