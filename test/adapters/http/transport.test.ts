/** Browsers are told to come by https alone where the site is reached by https, and nowhere else. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as Manual from "../../../adapters/http/manual/manual.ts"
import * as NodeServer from "../../../adapters/http/node-server.ts"
import { serve } from "../../../adapters/http/server.ts"
import * as Settings from "../../../core/treasury/settings.ts"
import * as Treasury from "../../support/small-treasury.ts"

const servedAt = (siteUrl: string) =>
  serve(Manual.layer).pipe(
    Layer.provideMerge(NodeServer.layer({ port: 0 })),
    Layer.provide(Settings.layer({ siteUrl, livemode: true, ...Settings.defaults })),
    Layer.provide(Treasury.layer())
  )

for (const [siteUrl, expected] of [
  ["https://pay.example.com", "max-age=31536000"],
  ["http://localhost:4000", null]
] as const) {
  layer(servedAt(siteUrl))(`a site at ${siteUrl}`, (it) => {
    it.effect(`sends ${expected ?? "no"} Strict-Transport-Security`, () =>
      Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        const origin = NetAddress.formatUrlUnsafe(address)
        for (const path of ["/docs", "/nothing"]) {
          const { headers } = yield* Effect.promise(() => fetch(origin + path))
          assert.strictEqual(headers.get("strict-transport-security"), expected)
        }
      })
    )
  })
}
