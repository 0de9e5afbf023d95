/**
 * JSON Schema of what goes into and comes out of an operation, as OpenAPI and tools print it: closed
 * inputs, open outputs, a nullable value as one type with `null` beside it rather than an `anyOf`.
 */
import { Schema, SchemaAST } from "effect"
import type * as Operation from "../../../core/operation/operation.ts"

export interface JsonSchema {
  readonly type?: string | ReadonlyArray<string>
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
  readonly description?: string
  readonly default?: unknown
  readonly [keyword: string]: unknown
}

const isNull = (schema: JsonSchema) => schema.type === "null"

const unspeakable = new Set(["Infinity", "-Infinity", "NaN"])

/** What Effect allows a float beside numbers, and no caller of ours may send. */
const isNotANumber = ({ enum: values }: JsonSchema) =>
  values?.every((value) => unspeakable.has(String(value))) ?? false

const nullable = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [...[schema.type ?? []].flat(), "null"],
  ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] })
})

const union = (schema: JsonSchema, members: ReadonlyArray<JsonSchema>): JsonSchema => {
  const { anyOf: _, ...around } = schema
  const spoken = members.filter((member) => !isNull(member) && !isNotANumber(member))
  const [only] = spoken
  const joined = spoken.length === 1 && only !== undefined ? only : { anyOf: spoken }
  const withNull = !members.some(isNull)
    ? joined
    : joined === only && only.type !== undefined
      ? nullable(only)
      : { anyOf: [...spoken, { type: "null" }] }
  return { ...withNull, ...around }
}

const plainProperty = (name: string, schema: JsonSchema): JsonSchema => {
  const short = simplified(schema)
  // Times are ISO 8601 throughout, and their fields end in At (spec, Units and formats).
  return /[a-z]At$/u.test(name) && [short.type].flat().includes("string")
    ? { ...short, format: "date-time" }
    : short
}

const plainProperties = (properties: Readonly<Record<string, JsonSchema>>) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, plainProperty(name, schema)])
  )

const bounds = (schema: JsonSchema): JsonSchema => {
  const { minimum, maximum, ...rest } = schema
  return {
    ...rest,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum })
  }
}

const simplified = (schema: JsonSchema): JsonSchema => {
  const { additionalProperties, ...rest } = bounds(schema)
  const inner: JsonSchema = {
    ...rest,
    ...(rest.properties === undefined ? {} : { properties: plainProperties(rest.properties) }),
    ...(rest.items === undefined ? {} : { items: simplified(rest.items) }),
    ...(additionalProperties === undefined || additionalProperties === true
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "object"
              ? simplified(additionalProperties)
              : additionalProperties
        })
  }
  return inner.anyOf === undefined ? inner : union(inner, inner.anyOf.map(simplified))
}

const inline = { referencePolicy: () => undefined }

/** A description on a check that JSON Schema cannot say is lost on the way; the field still has it. */
const described = (fields: Schema.Struct.Fields, schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const field = fields[name]
      const description = field === undefined ? undefined : SchemaAST.resolveDescription(field.ast)
      return [name, { ...(description === undefined ? {} : { description }), ...property }]
    })
  )
})

/** Closed, as every operation refuses a property it does not know. */
export const ofInput = (operation: Operation.OperationSpec): JsonSchema =>
  Object.keys(operation.input.fields).length === 0
    ? { type: "object", properties: {}, additionalProperties: false }
    : described(
        operation.input.fields,
        simplified(
          // The document is JSON Schema by construction.
          Schema.toJsonSchemaDocument(operation.input, { ...inline, onExcessProperty: "error" })
            .schema as JsonSchema
        )
      )

/** Open: fields may be added to answers without notice. */
export const ofOutput = (operation: Operation.OperationSpec): JsonSchema => ({
  type: "object",
  properties: {},
  ...simplified(Schema.toJsonSchemaDocument(operation.output, inline).schema as JsonSchema)
})

const code: JsonSchema = {
  type: "string",
  pattern: "^[A-Z][A-Z0-9_]*$",
  description: "Programs decide by this code. Codes are added without notice and never renamed."
}

/** The error body. Its codes are open, so that one added later does not break a client made today. */
export const errorBody: JsonSchema = {
  type: "object",
  required: ["ok", "error"],
  properties: {
    ok: { type: "boolean", enum: [false] },
    error: {
      type: "object",
      required: ["code", "type", "message", "docUrl", "outcome", "retryable", "requestId"],
      properties: {
        code,
        type: { type: "string", description: "The type of the error." },
        message: { type: "string", description: "What is wrong and what to do." },
        param: { type: "string", description: "The field that is wrong." },
        details: { type: "object" },
        outcome: { type: "string", enum: ["not_executed", "executed", "unknown"] },
        retryable: { type: "boolean", description: "Whether the same call may succeed later." },
        next: {
          type: "object",
          description: "A call that helps and that this key is allowed to make.",
          required: ["operation", "args"],
          properties: {
            operation: { type: "string" },
            args: { type: "object" },
            missing: {
              type: "array",
              items: { type: "string" },
              description: "Fields to add to args before calling."
            }
          }
        },
        docUrl: { type: "string" },
        requestId: { type: "string" }
      }
    }
  }
}
