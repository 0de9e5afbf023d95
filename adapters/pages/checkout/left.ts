/** How long something is left, as short as it can be told. */
import { filled, type Words } from "./words/words.ts"

const twoDigits = (count: number) => String(count).padStart(2, "0")

export const leftOf = (ms: number, words: Words): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const hours = Math.floor(seconds / 3600)
  if (hours >= 48) return filled(words.days, { count: Math.floor(hours / 24) })
  if (hours >= 1) return filled(words.hours, { hours, minutes: Math.floor(seconds / 60) % 60 })
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`
}
