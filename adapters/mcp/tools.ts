/**
 * The catalogue as tools, described once, when somebody first lists them: closed input schemas, output
 * schemas that stock clients can check, and the hints an agent's host goes by before it lets the agent call.
 */

import type * as Operation from "../../core/operation/operation.ts"
import { operations } from "../../core/treasury/operations.ts"
import * as SharedAnswer from "../http/guards/shared-answer.ts"
import { errorBody, type JsonSchema, ofInput, ofOutput } from "../http/manual/json-schema.ts"

const idempotencyKey: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  pattern: "^[\\x21-\\x7e]+$",
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

/**
 * Clients check `structuredContent` against this even when it is a refusal, so it describes both: the
 * fields of the answer, or the error body in their place.
 */
const outputSchema = (operation: Operation.Any): JsonSchema => {
  const { required = [], ...answer } = ofOutput(operation)
  return { ...answer, anyOf: [{ required }, errorBody] }
}

const described = (operation: Operation.Any): string =>
  [
    operation.summary,
    `Next: ${operation.next}`,
    ...(writes(operation)
      ? ["When you retry, send the same idempotencyKey; the call is then executed once."]
      : [])
  ].join(" ")

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

/** The result of `tools/list`, the same bytes for everybody. */
export const listed = SharedAnswer.once(() =>
  SharedAnswer.part(JSON.stringify({ tools: operations.map(toolOf) }))
)

export const byName: ReadonlyMap<string, Operation.Any> = new Map(
  operations.map((operation) => [operation.name, operation])
)
