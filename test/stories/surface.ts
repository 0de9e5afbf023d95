/** The operations as a client on the other side of the network calls them: over REST, or as tools. */
import { Effect } from "effect"
import { parse } from "../../adapters/http/route.ts"
import { routes } from "../../adapters/http/routes.ts"
import type { Name } from "../../core/treasury/operations.ts"
import { type Calls, Refused } from "./world.ts"

export type Surface = "REST" | "tools"

type Fields = Readonly<Record<string, unknown>>

interface ErrorBody {
  readonly code: string
  readonly outcome: string
  readonly message: string
}

export const refusedBy = ({ code, outcome, message }: ErrorBody) =>
  new Refused({ code, outcome, message })

const query = (fields: Fields): string => {
  const text = new URLSearchParams(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  ).toString()
  return text === "" ? "" : `?${text}`
}

const overRest = async (
  siteUrl: string,
  apiKey: string,
  name: Name,
  input: Fields,
  idempotencyKey?: string
) => {
  const route = parse(routes[name])
  const path = route.path.replace(/:(\w+)/gu, (_, field) =>
    encodeURIComponent(String(input[field]))
  )
  const rest = Object.fromEntries(
    Object.entries(input).filter(([field]) => !route.pathFields.includes(field))
  )
  const reads = route.method === "GET" || route.method === "DELETE"
  const action = route.action === undefined ? {} : { action: route.action }
  const url = siteUrl + path + query(reads ? { ...rest, ...action } : action)
  const response = await fetch(url, {
    method: route.method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
    },
    ...(reads ? {} : { body: JSON.stringify(rest) })
  })
  const answer = (await response.json()) as
    | { readonly ok: true; readonly data: unknown }
    | { readonly ok: false; readonly error: ErrorBody }
  if (!answer.ok) throw refusedBy(answer.error)
  return answer.data
}

const overTools = async (
  siteUrl: string,
  apiKey: string,
  name: Name,
  input: Fields,
  idempotencyKey?: string
) => {
  const args = { ...input, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) }
  const params = { name, arguments: args }
  const response = await fetch(`${siteUrl}/api/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
  })
  const answer = (await response.json()) as {
    readonly result?: { readonly isError?: boolean; readonly structuredContent: unknown }
    readonly error?: { readonly data?: ErrorBody; readonly message: string }
  }
  if (answer.error?.data !== undefined) throw refusedBy(answer.error.data)
  if (answer.result === undefined) throw new Error(`A protocol fault: ${answer.error?.message}`)
  const content = answer.result.structuredContent
  if (answer.result.isError === true) throw refusedBy(errorIn(content))
  return content
}

/** A refusal as a tool answers it: the error object of REST, or that object in its envelope. */
const errorIn = (content: unknown): ErrorBody => {
  const { error } = content as { readonly error?: ErrorBody }
  return error ?? (content as ErrorBody)
}

/** All operations over one surface with one key. */
export const callsOver = (surface: Surface, siteUrl: string, apiKey: string): Calls =>
  // One entry per operation, as the proxy is asked for it.
  new Proxy({} as Calls, {
    get: (_, name: Name) => (input: Fields, idempotencyKey?: string) =>
      Effect.tryPromise({
        try: () =>
          surface === "REST"
            ? overRest(siteUrl, apiKey, name, input, idempotencyKey)
            : overTools(siteUrl, apiKey, name, input, idempotencyKey),
        catch: (error) => error
      }).pipe(
        Effect.catch((error) => (error instanceof Refused ? Effect.fail(error) : Effect.die(error)))
      )
  })
