/**
 * One call of every operation, written out as curl and as a tool call. The input is the operation's own
 * example; an id it needs and does not show is filled in, anything else missing is a fault of the catalogue.
 */
import { ofInput } from "../../adapters/http/manual/json-schema.ts"
import { type Bound, readsQuery } from "../../adapters/http/route.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { fence } from "./markdown.ts"

export type Input = Readonly<Record<string, unknown>>

const someId = "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"

/** The operation's example with the ids it needs; throws when the catalogue shows too little. */
export const inputOf = (operation: Operation.Any): Input => {
  const shown = operation.example.input
  const missing = (ofInput(operation).required ?? []).filter((field) => !(field in shown))
  const unnamed = missing.filter((field) => !/(^id|Id)$/u.test(field))
  if (unnamed.length > 0) {
    throw new Error(`The example of ${operation.name} lacks ${unnamed.join(", ")}.`)
  }
  return { ...Object.fromEntries(missing.map((field) => [field, someId])), ...shown }
}

export const isWrite = (operation: Operation.Any): boolean => operation.sideEffect !== "read"

const keyOf = (operation: Operation.Any) => `${operation.name}-1`

const urlOf = ({ route }: Bound, siteUrl: string, input: Input): string => {
  const path = route.path.replace(/:(\w+)/gu, (_, field: string) =>
    encodeURIComponent(String(input[field]))
  )
  return `${siteUrl}${path}${route.action === undefined ? "" : `?action=${route.action}`}`
}

/** A single-quoted word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const queryOf = (rest: ReadonlyArray<readonly [string, unknown]>): string =>
  rest.length === 0
    ? ""
    : `?${new URLSearchParams(rest.map(([field, value]): [string, string] => [field, String(value)])).toString()}`

export const curl = (bound: Bound, siteUrl: string): string => {
  const { operation, route } = bound
  const input = inputOf(operation)
  const rest = Object.entries(input).filter(([field]) => !route.pathFields.includes(field))
  const inQuery = readsQuery(route.method)
  const url = urlOf(bound, siteUrl, input) + (inQuery ? queryOf(rest) : "")
  const lines = [
    `curl${route.method === "GET" ? "" : ` -X ${route.method}`} ${quoted(url)}`,
    '-H "Authorization: Bearer $BURSAR_KEY"',
    ...(isWrite(operation) ? [`-H "Idempotency-Key: ${keyOf(operation)}"`] : []),
    ...(inQuery
      ? []
      : [
          '-H "Content-Type: application/json"',
          `-d ${quoted(JSON.stringify(Object.fromEntries(rest)))}`
        ])
  ]
  return fence("sh", lines.join(" \\\n  "))
}

/** The JSON-RPC message that does the same. */
export const toolCall = (operation: Operation.Any) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: operation.name,
    arguments: {
      ...inputOf(operation),
      ...(isWrite(operation) ? { idempotencyKey: keyOf(operation) } : {})
    }
  }
})
