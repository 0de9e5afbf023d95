/**
 * JSON Schema as rows of a table: every field by its dotted path, with its type, its limits and its
 * meaning. What the schema does not say, the manual does not say either.
 */
import type { JsonSchema } from "../../adapters/http/manual/json-schema.ts"
import { code } from "./markdown.ts"

export interface Field {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly limits: string
  readonly meaning: string
}

/** A name for a structure that is described elsewhere, or undefined when it is described here. */
export type Elsewhere = (schema: JsonSchema) => string | undefined

const isNullable = (schema: JsonSchema) => [schema.type ?? []].flat().includes("null")

const plainType = (schema: JsonSchema): string => {
  const types = [schema.type ?? []].flat().filter((type) => type !== "null")
  if (types.includes("array")) return `array of ${typeOf(schema.items ?? {})}`
  if (types.includes("object") && typeof schema.additionalProperties === "object") {
    return `map of ${typeOf(schema.additionalProperties)}`
  }
  return types.length === 0 ? "any" : types.join(" or ")
}

export const typeOf = (schema: JsonSchema): string => {
  const one =
    schema.anyOf === undefined ? plainType(schema) : schema.anyOf.map(plainType).join(" or ")
  return isNullable(schema) ? `${one} or null` : one
}

const number = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined

const range = (least: unknown, most: unknown, unit: string): string | undefined => {
  const [low, high] = [number(least), number(most)]
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`
  if (high !== undefined) return `at most ${high}${unit}`
  return low === undefined ? undefined : `at least ${low}${unit}`
}

const choices = (schema: JsonSchema): string | undefined => {
  const values = schema.enum?.filter((value) => value !== null)
  return values === undefined ? undefined : values.map((value) => code(String(value))).join(", ")
}

const own = (schema: JsonSchema): ReadonlyArray<string | undefined> => [
  choices(schema),
  range(schema.minLength, schema.maxLength, " characters"),
  range(schema.minimum, schema.maximum, ""),
  range(schema.minItems, schema.maxItems, " items"),
  range(schema.minProperties, schema.maxProperties, " keys"),
  schema.uniqueItems === true ? "no item twice" : undefined,
  schema.format === "date-time" ? "ISO 8601, UTC" : undefined,
  typeof schema.pattern === "string" ? code(schema.pattern) : undefined,
  schema.default === undefined ? undefined : `default ${code(JSON.stringify(schema.default))}`
]

export const limitsOf = (schema: JsonSchema): string => {
  const items = schema.items === undefined ? undefined : choices(schema.items)
  return [...own(schema), items].filter((limit) => limit !== undefined).join("; ")
}

/** The object below a field, and how its path goes on. */
const below = (schema: JsonSchema): { readonly schema: JsonSchema; readonly mark: string } =>
  schema.items === undefined ? { schema, mark: "" } : { schema: schema.items, mark: "[]" }

export const fieldsOf = (
  schema: JsonSchema,
  elsewhere: Elsewhere = () => undefined,
  prefix = ""
): ReadonlyArray<Field> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`
    const inner = below(property)
    const place = inner.schema.properties === undefined ? undefined : elsewhere(inner.schema)
    const field: Field = {
      path,
      type: typeOf(property),
      required: schema.required?.includes(name) ?? false,
      limits: limitsOf(property),
      meaning: [property.description, place].filter((text) => text !== undefined).join(" ")
    }
    return place === undefined
      ? [field, ...fieldsOf(inner.schema, elsewhere, `${path}${inner.mark}.`)]
      : [field]
  })
