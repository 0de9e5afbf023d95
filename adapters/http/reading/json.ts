/**
 * Reads JSON strictly: what two parsers could read differently is refused. Doubled keys, keys that reach
 * for prototypes, lone surrogates, numbers that a double cannot hold and deep nesting do not pass.
 */
import { Result } from "effect"
import { InvalidJson } from "../refusals.ts"

export const deepest = 32

const banned = new Set(["__proto__", "constructor", "prototype"])

interface Level {
  /** Keys seen so far; undefined in an array. */
  readonly keys: Set<string> | undefined
  expectsKey: boolean
  place: string
}

interface Flaw {
  readonly message: string
  readonly place?: string
}

const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (text.charCodeAt(at) !== 34) at += text.charCodeAt(at) === 92 ? 2 : 1
  return at + 1
}

const numberForm = /-?\d[\d.eE+-]*/uy

const badNumber = (token: string): string | undefined => {
  if (token.length < 16 && !/[eE]/u.test(token)) return undefined
  const value = Number(token)
  if (!Number.isFinite(value)) return "a number that is too large"
  return /^-?\d+$/u.test(token) && !Number.isSafeInteger(value)
    ? "an integer that JSON parsers would round; send it as a string"
    : undefined
}

const placeOf = (levels: ReadonlyArray<Level>) =>
  levels
    .map((level) => level.place)
    .filter((place) => place !== "")
    .join(".")

const badKey = (level: Level, key: string): string | undefined => {
  if (banned.has(key)) return `the forbidden key "${key}"`
  if (level.keys?.has(key)) return `the key "${key}" twice`
  level.keys?.add(key)
  return undefined
}

/** The first flaw in text that is known to be JSON. */
const flawOf = (text: string): Flaw | undefined => {
  const levels: Array<Level> = []
  let at = 0
  while (at < text.length) {
    const level = levels.at(-1)
    switch (text.charAt(at)) {
      case '"': {
        const end = endOfString(text, at)
        const raw = text.slice(at, end)
        const value = raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1)
        if (!value.isWellFormed()) {
          return { message: "an unpaired surrogate", place: placeOf(levels) }
        }
        if (level?.expectsKey) {
          level.expectsKey = false
          level.place = value
          const message = badKey(level, value)
          if (message !== undefined) return { message, place: placeOf(levels) }
        }
        at = end
        break
      }
      case "{":
      case "[": {
        const isObject = text.charAt(at) === "{"
        if (levels.length === deepest) return { message: `more than ${deepest} levels of nesting` }
        levels.push({
          keys: isObject ? new Set() : undefined,
          expectsKey: isObject,
          place: isObject ? "" : "0"
        })
        at += 1
        break
      }
      case "}":
      case "]":
        levels.pop()
        at += 1
        break
      case ",":
        if (level?.keys === undefined) {
          if (level !== undefined) level.place = String(Number(level.place) + 1)
        } else level.expectsKey = true
        at += 1
        break
      default: {
        numberForm.lastIndex = at
        const token = numberForm.exec(text)?.[0]
        const message = token === undefined ? undefined : badNumber(token)
        if (message !== undefined) return { message, place: placeOf(levels) }
        at += token?.length ?? 1
      }
    }
  }
  return undefined
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const refused = (message: string, place = "") =>
  Result.fail(new InvalidJson({ message, ...(place === "" ? {} : { param: place }) }))

const syntax = (text: string, cause: unknown): string => {
  if (text.startsWith("\ufeff")) return "Send the JSON without a byte order mark."
  const position = /position (\d+)/u.exec(String(cause))?.[1]
  return position === undefined
    ? "The body is not JSON; send one JSON object."
    : `Malformed JSON at position ${position}.`
}

export const parse = (bytes: Uint8Array): Result.Result<unknown, InvalidJson> => {
  let text: string
  try {
    text = strictUtf8.decode(bytes)
  } catch {
    return refused("The body is not UTF-8; send JSON in UTF-8.")
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return refused(syntax(text, cause))
  }
  const flaw = flawOf(text)
  return flaw === undefined
    ? Result.succeed(value)
    : refused(`The JSON contains ${flaw.message}.`, flaw.place)
}
