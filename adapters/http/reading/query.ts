/**
 * Reads a query string: every parameter once, its value turned into the JSON its field's schema asks
 * for. What it cannot turn it leaves as text, for the schema to refuse by name.
 */
import { Effect } from "effect"
import { memoize } from "effect/Function"
import type * as Operation from "../../../core/operation/operation.ts"
import { InvalidRequest, UnknownField } from "../../../core/operation/refusal.ts"
import { type JsonSchema, ofInput } from "../manual/json-schema.ts"

export type QueryKind = "number" | "boolean" | "text"

const kindOf = (schema: JsonSchema): QueryKind => {
  const types = [schema.type ?? []].flat()
  if (types.includes("string") || types.length === 0) return "text"
  if (types.includes("integer") || types.includes("number")) return "number"
  return types.includes("boolean") ? "boolean" : "text"
}

/** How the text of each query value becomes its field's JSON: found out at the first query, not at the start. */
export const kindsOf = memoize(
  (operation: Operation.Any): ReadonlyMap<string, QueryKind> =>
    new Map(
      Object.entries(ofInput(operation).properties ?? {}).map(([field, schema]) => [
        field,
        kindOf(schema)
      ])
    )
)

const plainNumber = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/u

export const coerce = (kind: QueryKind | undefined, text: string): unknown => {
  if (kind === "number" && plainNumber.test(text)) return Number(text)
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true"
  return text
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

const banned = new Set(["__proto__", "constructor", "prototype"])

const none: ReadonlyMap<string, string> = new Map()

/** The parameters of a request's address, by name. */
export const parse = (
  url: string
): Effect.Effect<ReadonlyMap<string, string>, InvalidRequest | UnknownField> => {
  // The router ends the path at any of these three.
  const start = url.search(/[?;#]/u)
  return start === -1 ? Effect.succeed(none) : parsePairs(url.slice(start + 1))
}

const parsePairs = Effect.fnUntraced(function* (query: string) {
  const found = new Map<string, string>()
  for (const pair of query.split("&")) {
    if (pair === "") continue
    const cut = pair.indexOf("=")
    const name = decoded(cut === -1 ? pair : pair.slice(0, cut))
    const value = decoded(cut === -1 ? "" : pair.slice(cut + 1))
    if (name === undefined || value === undefined) {
      return yield* new InvalidRequest({
        ...(name === undefined ? {} : { param: name }),
        message: "The query is not percent-encoded UTF-8."
      })
    }
    if (banned.has(name)) {
      return yield* new UnknownField({
        param: name,
        message: `"${name}" is not allowed as a parameter.`
      })
    }
    if (found.has(name)) {
      return yield* new InvalidRequest({
        param: name,
        message: `The query parameter "${name}" is repeated; send it once.`
      })
    }
    found.set(name, value)
  }
  return found
})
