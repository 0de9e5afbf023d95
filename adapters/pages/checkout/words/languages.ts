/** The languages of the checkout page, and the one that a browser would rather read. English is the last resort. */
import { chinese } from "./chinese.ts"
import { english } from "./english.ts"
import { french } from "./french.ts"
import { german } from "./german.ts"
import { japanese } from "./japanese.ts"
import { spanish } from "./spanish.ts"
import type { Words } from "./words.ts"

export const languages = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  ja: japanese,
  zh: chinese
} as const satisfies Readonly<Record<string, Words>>

export type Language = keyof typeof languages

const isKnown = (tag: string): tag is Language => Object.hasOwn(languages, tag)

/** No browser names more; a longer list costs its sender nothing and us time. */
const maxLength = 200

/** `de-AT;q=0.8` is German, wanted 0.8 of 1; what cannot be read is not wanted. */
const wantOf = (entry: string) => {
  const [range = "", ...parameters] = entry.split(";").map((text) => text.trim())
  const quality = parameters.find((text) => /^q=/iu.test(text))?.slice("q=".length) ?? "1"
  return {
    tag: (range.split("-")[0] ?? "").toLowerCase(),
    wanted: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(quality) ? Number(quality) : 0
  }
}

/** By `Accept-Language`; of two that are wanted alike, the one that is named first. */
export const languageFor = (acceptLanguage: string | undefined): Language => {
  const wants = (acceptLanguage ?? "").slice(0, maxLength).split(",").map(wantOf)
  let best: { readonly tag: Language; readonly wanted: number } | undefined
  for (const { tag, wanted } of wants) {
    if (isKnown(tag) && wanted > (best?.wanted ?? 0)) best = { tag, wanted }
  }
  return best?.tag ?? "en"
}
