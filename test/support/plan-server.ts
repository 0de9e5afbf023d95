/** A treasury that sells plans, on a real node server beside REST, over stores and a chain of the test's choice. */
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as Rest from "../../adapters/http/rest.ts"
import { serve } from "../../adapters/http/server.ts"
import type { Options } from "../../adapters/x402/plan-call.ts"
import { plansRoutes } from "../../adapters/x402/plans-route.ts"
import { siteUrl } from "../../apps/testing/wiring.ts"
import type * as Buying from "./plan-purchases.ts"

/** Where it is: `http://127.0.0.1:<port>`. */
export class Shop extends Context.Service<Shop, string>()("test/PlanShop") {}

const origin = Layer.effect(
  Shop,
  Effect.map(HttpServer.HttpServer, ({ address }) => NetAddress.formatUrlUnsafe(address))
)

export const served = (options: Options = {}) =>
  Layer.merge(serve(Layer.mergeAll(Rest.layer(), plansRoutes(options))), origin).pipe(
    Layer.provide(NodeServer.layer({ port: 0 }))
  )

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
  readonly body: any
  /** What a header of the protocol says. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly said: (header: "payment-required" | "payment-response") => any
}

const replyOf = async (response: Response): Promise<Reply> => ({
  status: response.status,
  headers: response.headers,
  body: await response.json(),
  said: (header) =>
    JSON.parse(Buffer.from(response.headers.get(header) ?? "", "base64").toString("utf8"))
})

/** Posts to one of the two addresses, by whichever client. */
export const posted = Effect.fnUntraced(function* (
  path: "/api/agents" | "/api/agents/renew",
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  client: typeof fetch = fetch
) {
  const base = yield* Shop
  return yield* Effect.promise(async () =>
    replyOf(
      await client(base + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body)
      })
    )
  )
})

/** PAYMENT-SIGNATURE as a client makes it. */
export const signature = ({ accepted, authorization }: Buying.Signed, path = "/api/agents") => {
  const { amountMicro, from, nonce, signature: signed, to, validBefore } = authorization
  const payload = {
    x402Version: 2,
    resource: { url: `${siteUrl}${path}` },
    accepted: {
      scheme: "exact",
      network: "eip155:31337",
      amount: accepted.amountMicro.toString(),
      asset: accepted.token,
      payTo: accepted.payTo,
      maxTimeoutSeconds: accepted.maxTimeoutSeconds,
      extra: { name: accepted.name, version: accepted.version }
    },
    payload: {
      signature: signed,
      authorization: {
        from,
        to,
        value: amountMicro.toString(),
        validAfter: "0",
        validBefore: String(validBefore),
        nonce
      }
    }
  }
  const header = Buffer.from(JSON.stringify(payload)).toString("base64")
  return Effect.succeed({ "payment-signature": header })
}
