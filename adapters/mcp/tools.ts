/**
 * The catalogue as tools, described once, when somebody first lists them: closed input schemas, output
 * schemas that stock clients can check, and the hints an agent's host goes by before it lets the agent call.
 * A key is listed every tool that its scopes allow, and no other.
 */

import { Scope } from "../../core/operation/caller.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { operations } from "../../core/treasury/operations.ts"
import * as SharedAnswer from "../http/guards/shared-answer.ts"
import { type JsonSchema, ofInput, ofOutput } from "../http/manual/json-schema.ts"

const idempotencyKey: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$",
  description:
    "Your own key for this call. Send the same one when you retry, and the call is executed once."
}

export const writes = (operation: Operation.Any): boolean => operation.sideEffect !== "read"

/** A payment without a key is unknown to the chain under any name that the caller has. */
const moneyKey: JsonSchema = {
  ...idempotencyKey,
  description: `${idempotencyKey.description} Without one, the same call made again pays again if the treasury has lost its records meanwhile.`
}

const inputSchema = (operation: Operation.Any): JsonSchema => {
  const schema = ofInput(operation)
  return writes(operation)
    ? {
        ...schema,
        properties: {
          ...schema.properties,
          idempotencyKey: operation.leadsToMoney ? moneyKey : idempotencyKey
        }
      }
    : schema
}

/** What an agent decides by in an error body; the whole of it is in the OpenAPI document, once for all. */
const errorInBrief: JsonSchema = {
  required: ["ok", "error"],
  properties: {
    ok: { type: "boolean", enum: [false] },
    error: { type: "object", required: ["code", "message", "outcome", "retryable"] }
  }
}

/**
 * Clients check `structuredContent` against this even when it is a refusal, so it describes both: the
 * fields of the answer, or an error in their place.
 */
const outputSchema = (operation: Operation.Any): JsonSchema => {
  const { required = [], ...answer } = ofOutput(operation)
  return { ...answer, anyOf: [{ required }, errorInBrief] }
}

const described = ({ next, summary }: Operation.Any): string => `${summary} Next: ${next}`

/** Ends something that cannot be had back. */
const destroys = (operation: Operation.Any): boolean =>
  operation.sideEffect === "money" || /^(delete|revoke|cancel|remove)_/u.test(operation.name)

const titled = (name: string): string => {
  const words = name.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const toolOf = (operation: Operation.Any) => ({
  name: operation.name,
  title: titled(operation.name),
  description: described(operation),
  inputSchema: inputSchema(operation),
  outputSchema: outputSchema(operation),
  annotations: {
    title: titled(operation.name),
    readOnlyHint: !writes(operation),
    destructiveHint: destroys(operation),
    // A write called twice is done twice, unless the caller gives it a key.
    idempotentHint: !writes(operation),
    // Money leaves for the world at large; everything else stays within the treasury.
    openWorldHint: operation.sideEffect === "money"
  },
  _meta: { scope: operation.scope }
})

/** Every tool as JSON, with the scope it needs. */
const toolTexts = SharedAnswer.once(() =>
  operations.map((operation) => ({
    scope: operation.scope,
    json: JSON.stringify(toolOf(operation))
  }))
)

const listOf = (scopes: ReadonlySet<Scope>): string => {
  const tools = toolTexts().filter(({ scope }) => scopes.has(scope))
  return `{"tools":[${tools.map(({ json }) => json).join(",")}]}`
}

/** Most treasuries make keys in a few shapes. Past these, a list is written for whoever asks and not kept. */
const maxKept = 16

const lists = new Map<string, SharedAnswer.Part>()

/** The result of `tools/list` for a key with these scopes, the same bytes for every such key while they are kept. */
export const listed = (scopes: ReadonlySet<Scope>): SharedAnswer.Part | string => {
  const shape = Scope.literals.filter((scope) => scopes.has(scope)).join(" ")
  const known = lists.get(shape)
  if (known !== undefined) return known
  if (lists.size >= maxKept) return listOf(scopes)
  const list = SharedAnswer.part(listOf(scopes))
  lists.set(shape, list)
  return list
}

export const byName: ReadonlyMap<string, Operation.Any> = new Map(
  operations.map((operation) => [operation.name, operation])
)
