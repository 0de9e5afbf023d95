/** Whoever brings no key has a rate limit by client address for each kind of page; whoever brings one does not count against it. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Forwarded from "../../../adapters/http/edge/forwarded.ts"
import { everyScope, issued } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched, posted } from "../../support/surfaces.ts"

const from = (path: string, address: string, init: RequestInit = {}) =>
  fetched(path, { ...init, headers: { ...init.headers, "x-forwarded-for": address } })

layer(Surfaces.layer({ anonymousAllowed: 2, proxies: 1 }))("a stranger", (it) => {
  it.effect(
    "has so many pages a minute, by address and kind of page, and a key has no part in it",
    () =>
      Effect.gen(function* () {
        const key = yield* issued(everyScope)
        for (const path of ["/docs", "/openapi.json"]) {
          assert.strictEqual((yield* from(path, "10.0.0.1")).status, 200)
        }
        for (const init of [{}, { headers: { authorization: `Bearer ${key}` } }]) {
          const refused = yield* from("/docs", "10.0.0.1", init)
          assert.strictEqual(refused.status, 429)
          assert.strictEqual(refused.body.error.code, "RATE_LIMITED")
          assert.match(refused.headers.get("ratelimit") ?? "", /^"site";r=0;t=\d+$/u)
          assert.strictEqual(refused.headers.get("ratelimit-policy"), '"site";q=2;w=60')
          assert.isNotNull(refused.headers.get("retry-after"))
        }
        Surfaces.assertSpent(yield* from("/nothing/here", "10.0.0.1"), "site")
        assert.notStrictEqual((yield* from("/console/login", "10.0.0.1")).status, 429)
        assert.strictEqual((yield* from("/docs", "10.0.0.2")).status, 200)
        const headers = { authorization: `Bearer ${key}` }
        for (const _ of [1, 2, 3, 4]) {
          assert.strictEqual((yield* from("/api/v1/wallets", "10.0.0.1", { headers })).status, 200)
          assert.strictEqual((yield* from("/health/live", "10.0.0.1")).status, 200)
        }
      })
  )

  it.effect("is one client as a whole /64", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* from("/docs", "2001:db8:1:2::1")).status, 200)
      assert.strictEqual((yield* from("/docs", "2001:db8:1:2:3::4")).status, 200)
      assert.strictEqual((yield* from("/docs", "2001:db8:1:2:ffff::")).status, 429)
      assert.strictEqual((yield* from("/docs", "2001:db8:1:3::1")).status, 200)
    })
  )
})

layer(Surfaces.layer({ failuresAllowed: 2, proxies: 1 }))("failures of one kind", (it) => {
  it.effect("leave the others alone: keys do not shut out the console", () =>
    Effect.gen(function* () {
      const headers = { authorization: "Bearer nonsense" }
      for (const status of [401, 401, 429]) {
        assert.strictEqual((yield* from("/api/v1/wallets", "10.0.0.1", { headers })).status, status)
      }
      const attempt = yield* posted(
        "/console/login/options",
        {},
        {
          "x-forwarded-for": "10.0.0.1",
          "sec-fetch-site": "same-origin"
        }
      )
      assert.strictEqual(attempt.status, 200)
    })
  )
})

it.effect("a proxy that nobody told of is warned of once, by the name of the setting", () =>
  Effect.gen(function* () {
    const said: Array<unknown> = []
    const log = Logger.layer([Logger.make(({ message }) => void said.push(message))])
    const asked = (headers: Record<string, string>) =>
      ({ headers }) as unknown as HttpServerRequest.HttpServerRequest
    const direct = Forwarded.warner(0)
    yield* direct(asked({})).pipe(Effect.provide(log))
    assert.lengthOf(said, 0)
    for (const _ of [1, 2, 3]) {
      yield* direct(asked({ "x-forwarded-for": "192.0.2.1" })).pipe(Effect.provide(log))
    }
    assert.lengthOf(said, 1)
    assert.include(String(said[0]), "BURSAR_PROXIES")
    yield* Forwarded.warner(1)(asked({ "x-forwarded-for": "192.0.2.1" })).pipe(Effect.provide(log))
    assert.lengthOf(said, 1)
  })
)
