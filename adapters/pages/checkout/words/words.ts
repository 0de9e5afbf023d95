/** What a language says on the checkout page, and how its places are filled. A place that a text lacks stays unsaid. */
import type { english } from "./english.ts"

export type Words = Readonly<Record<keyof typeof english, string>>

/** `{name}` in a text is a place; what fills it stands as it is. */
const place = /\{(\w+)\}/gu

/** A text with its places filled. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(place, (_, name: string) => String(values[name] ?? ""))

/** A text in parts around its places, for what is filled in by an element: `["Return to ", "merchant", ""]`. */
export const parts = (text: string): ReadonlyArray<string> => text.split(place)

/**
 * `1,250.50` as the language parts it. The point stays: it is what wallets take, and where a comma is the decimal sign
 * nothing but a space before it cannot be misread.
 */
export const sumIn = (sum: string, words: Words): string => sum.replaceAll(",", words.thousands)
