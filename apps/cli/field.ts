/**
 * The input fields of an operation as flags: how each is called, and how its text becomes JSON. Only what
 * is no JSON at all is rejected here; the service decides whether a value is valid.
 */
import { Result } from "effect"
import { type JsonSchema, ofInput } from "../../adapters/http/manual/json-schema.ts"
import { parse } from "../../adapters/http/route.ts"
import { type Line, routes } from "../../adapters/http/routes.ts"
import type * as Operation from "../../core/operation/operation.ts"

/** How a flag is written: once as text, or as JSON, or several times for the items of a list or a map. */
export type Sort = "text" | "number" | "boolean" | "list" | "map" | "json"

export interface Field {
  readonly name: string
  readonly flag: string
  readonly sort: Sort
  readonly schema: JsonSchema
  readonly required: boolean
}

/** A value on its way: as text for a path or a query, and as JSON for a body. */
export interface Value {
  readonly text: string
  readonly json: string
}

/** `amountUsdc` and `list_wallets` as `amount-usdc` and `list-wallets`. */
export const kebab = (name: string): string =>
  name.replaceAll("_", "-").replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)

const typesOf = (schema: JsonSchema): ReadonlyArray<string> =>
  [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? [])

const sortOf = (schema: JsonSchema): Sort => {
  const types = typesOf(schema)
  if (types.includes("array")) {
    return typesOf(schema.items ?? {}).includes("string") ? "list" : "json"
  }
  if (types.includes("object")) return schema.properties === undefined ? "map" : "json"
  if (types.includes("string") || types.length === 0) return "text"
  return types.includes("boolean") ? "boolean" : "number"
}

export const fieldsOf = (operation: Operation.Any): ReadonlyArray<Field> => {
  const { properties = {}, required = [] } = ofInput(operation)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    flag: kebab(name),
    sort: sortOf(schema),
    schema,
    required: required.includes(name)
  }))
}

/**
 * The field that may be written without its flag: what the path names, or the one id the operation cannot do without.
 */
export const positionalOf = (operation: Operation.Any): Field | undefined => {
  const fields = fieldsOf(operation)
  const line = (routes as Partial<Record<string, Line>>)[operation.name]
  const inPath = line === undefined ? [] : parse(line).pathFields
  const required = fields.filter((field) => field.required)
  const [only, ...others] =
    inPath.length > 0 ? fields.filter(({ name }) => inPath.includes(name)) : required
  if (only === undefined || others.length > 0) return undefined
  return /(?:^id|Id|^idOrPid)$/u.test(only.name) ? only : undefined
}

/** A flag of the program itself; where a field of the operation has its name, the field keeps it. */
export const ownFlag = (fields: ReadonlyArray<Field>, name: string): string =>
  fields.some(({ flag }) => flag === name) ? `bursar-${name}` : name

/** The values it may have, when there is a closed set of them. */
export const choicesOf = ({ schema }: Field): ReadonlyArray<string> =>
  (schema.enum ?? schema.items?.enum ?? []).filter((value) => value !== null).map(String)

const plainNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/u

const asText = (text: string): Value => ({ text, json: JSON.stringify(text) })

/** JSON is handed on as it was written: read and written anew it might change. */
const asJson = (flag: string, text: string): Result.Result<Value, string> => {
  try {
    JSON.parse(text)
    return Result.succeed({ text, json: text })
  } catch {
    return Result.fail(`--${flag} must be JSON; put it in single quotes.`)
  }
}

/** The one text an object cannot do without, if it is all it needs: `--customer user_42` says enough. */
const onlyText = ({ schema }: Field): string | undefined => {
  const [only, ...others] = schema.required ?? []
  if (only === undefined || others.length > 0) return undefined
  return typesOf(schema.properties?.[only] ?? {}).includes("string") ? only : undefined
}

const asObject = (field: Field, text: string): Result.Result<Value, string> => {
  const only = onlyText(field)
  if (only === undefined || text.startsWith("{")) return asJson(field.flag, text)
  const json = JSON.stringify({ [only]: text })
  return Result.succeed({ text: json, json })
}

const mapOf = (flag: string, texts: ReadonlyArray<string>): Result.Result<Value, string> => {
  const pairs = texts.map((text) => [text, text.indexOf("=")] as const)
  if (pairs.some(([, cut]) => cut === -1)) {
    return Result.fail(`--${flag} must be key=value, repeated for each key, or a JSON object.`)
  }
  const entries = pairs.map(([text, cut]) => [text.slice(0, cut), text.slice(cut + 1)] as const)
  const doubled = entries.find(([key], at) => entries.some(([k], other) => k === key && other > at))
  if (doubled !== undefined) return Result.fail(`--${flag} has the key ${doubled[0]} twice.`)
  const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  const json = `{${members.join(",")}}`
  return Result.succeed({ text: json, json })
}

/** What was written behind a flag, once or more often; the failure is a sentence. */
export const readValue = (
  field: Field,
  texts: ReadonlyArray<string>
): Result.Result<Value, string> => {
  const { flag, sort } = field
  const [first = ""] = texts
  switch (sort) {
    case "text":
      return Result.succeed(asText(first))
    case "number":
      // What is no number goes on as text, and is refused there by name.
      return Result.succeed(plainNumber.test(first) ? { text: first, json: first } : asText(first))
    case "boolean":
      return Result.succeed({ text: first, json: first })
    case "json":
      return asObject(field, first)
    case "list": {
      if (texts.length === 1 && first.startsWith("[")) return asJson(flag, first)
      const json = JSON.stringify(texts)
      return Result.succeed({ text: json, json })
    }
    case "map":
      return texts.length === 1 && first.startsWith("{") ? asJson(flag, first) : mapOf(flag, texts)
  }
}
