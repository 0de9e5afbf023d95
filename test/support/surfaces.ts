/** The network surfaces on a real node server at a free port, and plain ways to speak to them. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as Console from "../../adapters/console/routes.ts"
import * as Health from "../../adapters/http/health.ts"
import * as Manual from "../../adapters/http/manual/manual.ts"
import type * as Metrics from "../../adapters/http/metrics.ts"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as Rest from "../../adapters/http/rest.ts"
import { type Bound, readsQuery } from "../../adapters/http/route.ts"
import { serve } from "../../adapters/http/server.ts"
import * as Tools from "../../adapters/mcp/server.ts"
import * as Treasury from "./small-treasury.ts"

/** Where the surfaces are served: `http://127.0.0.1:<port>`. */
export class Origin extends Context.Service<Origin, string>()("test/Origin") {}

const origin = Layer.effect(
  Origin,
  Effect.map(HttpServer.HttpServer, ({ address }) => NetAddress.formatUrlUnsafe(address))
)

export interface Options extends Treasury.Options {
  readonly server?: Omit<NodeServer.Options, "port">
  readonly origins?: ReadonlyArray<string>
  readonly proxies?: number
  readonly checks?: ReadonlyArray<Health.Check>
  readonly metrics?: Metrics.Options
}

export const layer = (options: Options = {}) => {
  const { proxies = 0, origins = [], checks = [], metrics = { audience: "open" } } = options
  const routes = Layer.mergeAll(
    Rest.layer(),
    Tools.layer({ origins }),
    Manual.layer,
    Console.layer({ proxies }),
    Health.layer({ checks, keptForMs: 0, metrics })
  )
  return Layer.merge(serve(routes, { origins, proxies }), origin).pipe(
    Layer.provide(NodeServer.layer({ port: 0, ...options.server })),
    Layer.provideMerge(Treasury.layer(options))
  )
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
  readonly body: any
}

export const fetched = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* Origin
  return yield* Effect.promise(async (signal): Promise<Reply> => {
    const response = await fetch(base + path, { signal, ...init })
    const text = await response.text()
    const isJson = (response.headers.get("content-type") ?? "").includes("json")
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined
    }
  })
})

/** With a key that carries every scope, unless `init` brings another. */
export const withKey = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const key = yield* Treasury.issued(Treasury.everyScope)
  const headers = { authorization: `Bearer ${key}`, ...init.headers }
  return yield* fetched(path, { ...init, headers })
})

export const posted = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  withKey(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

/** The address of an operation's example. */
export const addressOf = ({ operation, route }: Bound): string => {
  const path = route.path.replaceAll(/:(\w+)/gu, (_, name: string) =>
    encodeURIComponent(String(operation.example.input[name] ?? "some-id"))
  )
  return route.action === undefined ? path : `${path}?action=${route.action}`
}

/** Asks for an operation over REST as its example does, with `extra` where its fields go. */
export const request = (
  bound: Bound,
  options: { readonly key?: string; readonly extra?: Readonly<Record<string, string>> } = {}
) => {
  const { operation, route } = bound
  const headers: Record<string, string> =
    options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }
  const fields = Object.entries(operation.example.input).filter(
    ([name]) => !route.pathFields.includes(name)
  )
  const input = { ...Object.fromEntries(fields), ...options.extra }
  if (readsQuery(route.method)) {
    const query = new URLSearchParams(
      Object.entries(input).map(([name, value]): [string, string] => [name, String(value)])
    )
    return fetched(`${addressOf(bound)}?${query}`, { method: route.method, headers })
  }
  return fetched(addressOf(bound), {
    method: route.method,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(input)
  })
}

/** What every answer to a call beyond a rate limit carries, whoever's the rate limit is. */
export const assertSpent = (
  { headers, status }: Pick<Response, "headers" | "status">,
  rateLimit: string
): void => {
  assert.strictEqual(status, 429)
  const [left, policy] = ["ratelimit", "ratelimit-policy"].map((name) => headers.get(name) ?? "")
  assert.match(left ?? "", new RegExp(`^"${rateLimit}";r=0;t=\\d+$`, "u"))
  assert.match(policy ?? "", new RegExp(`^"${rateLimit}";q=\\d+;w=\\d+$`, "u"))
  assert.match(headers.get("retry-after") ?? "", /^\d+$/u)
}

/** Sends one JSON-RPC message to the tools. */
export const rpc = (message: unknown, key: string, headers: Record<string, string> = {}) =>
  fetched("/api/mcp", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(message)
  })

export const callTool = (name: string, args: unknown, key: string) =>
  rpc({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }, key)
