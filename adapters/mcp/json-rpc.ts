/**
 * JSON-RPC 2.0, as far as tools need it: telling requests from notifications and responses, and writing
 * results and protocol faults. A refusal of an operation is never a fault; it is a result.
 */
export type Id = string | number

export interface Request {
  readonly _tag: "request"
  readonly id: Id
  readonly method: string
  readonly params: Readonly<Record<string, unknown>> | undefined
}

export type Message =
  | Request
  | { readonly _tag: "notification" }
  | { readonly _tag: "invalid"; readonly id: Id | null; readonly message: string }

export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  /** From the range JSON-RPC leaves to servers. */
  unauthenticated: -32001,
  limited: -32002,
  internal: -32603
} as const

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isId = (value: unknown): value is Id => typeof value === "string" || typeof value === "number"

const invalid = (id: unknown, message: string): Message => ({
  _tag: "invalid",
  id: isId(id) ? id : null,
  message
})

export const read = (value: unknown): Message => {
  if (!isObject(value) || value.jsonrpc !== "2.0") {
    return invalid(null, 'Send one object with "jsonrpc": "2.0".')
  }
  const { id, method, params } = value
  if (typeof method !== "string") {
    // We ask clients nothing, so an answer from one means nothing to us.
    return "result" in value || "error" in value
      ? { _tag: "notification" }
      : invalid(id, "Name a method.")
  }
  // Whoever sends a call without an id hears nothing of it, so that nothing is done for it either.
  if (id === undefined) return { _tag: "notification" }
  if (!isId(id)) return invalid(null, "id must be a string or a number.")
  if (params !== undefined && !isObject(params)) return invalid(id, "params must be an object.")
  return { _tag: "request", id, method, params }
}

/** What stands before the JSON text of a result, and after it. */
export const resultEnds = (id: Id): readonly [string, string] => [
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`,
  "}"
]

/** A result given as JSON text. */
export const result = (id: Id, json: string): string => resultEnds(id).join(json)

/** The id of a message nobody has looked at otherwise. */
export const idOf = (value: unknown): Id | null =>
  isObject(value) && isId(value.id) ? value.id : null

export const fault = (id: Id | null, code: number, message: string, data?: unknown): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message, ...(data === undefined ? {} : { data }) }
  })
