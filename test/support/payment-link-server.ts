/** Payment links served on a real node server, over stores in memory and a chain of the test's choice. */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as RecentReads from "../../adapters/http/recent-reads.ts"
import { serve } from "../../adapters/http/server.ts"
import { pages } from "../../adapters/pages/pages.ts"
import * as OpenStreams from "../../adapters/pages/site/open-streams.ts"
import { besidePages, type Options, payByPost } from "../../adapters/x402/pay-route.ts"

/** Where the links are served: `http://127.0.0.1:<port>`. */
export class Origin extends Context.Service<Origin, string>()("test/PaymentLinks") {}

const origin = Layer.effect(
  Origin,
  Effect.map(HttpServer.HttpServer, ({ address }) => NetAddress.formatUrlUnsafe(address))
)

export const served = (options: Options = {}) =>
  Layer.merge(
    serve(Layer.mergeAll(pages().pipe(Layer.provide(besidePages(options))), payByPost(options))),
    origin
  ).pipe(
    Layer.provide(OpenStreams.layer()),
    Layer.provide(RecentReads.layer),
    Layer.provide(NodeServer.layer({ port: 0 }))
  )

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
  readonly body: any
  /** What a header of the protocol says. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly said: (header: "payment-required" | "payment-response") => any
}

export const fetched = Effect.fnUntraced(function* (pid: string, init: RequestInit = {}) {
  const base = yield* Origin
  return yield* Effect.promise(async (signal): Promise<Reply> => {
    const response = await fetch(`${base}/pay/${pid}`, { signal, ...init })
    const text = await response.text()
    const isJson = (response.headers.get("content-type") ?? "").includes("json")
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
      said: (header) =>
        JSON.parse(Buffer.from(response.headers.get(header) ?? "", "base64").toString("utf8"))
    }
  })
})
