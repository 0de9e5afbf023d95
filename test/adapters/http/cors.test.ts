/** Pages in browsers may call REST only from origins that were let in. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched, withKey } from "../../support/surfaces.ts"

const wallets = "/api/v1/wallets"

const preflight = (origin: string) =>
  fetched(wallets, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization"
    }
  })

layer(Surfaces.layer({ origins: ["https://app.example", "https://till.example"] }))(
  "REST for browsers",
  (it) => {
    it.effect("lets pages of a listed origin in, and no others", () =>
      Effect.gen(function* () {
        const listed = yield* preflight("https://till.example")
        assert.strictEqual(listed.status, 204)
        assert.strictEqual(
          listed.headers.get("access-control-allow-origin"),
          "https://till.example"
        )
        assert.include(listed.headers.get("access-control-allow-headers") ?? "", "authorization")
        const other = yield* preflight("https://evil.example")
        assert.isNull(other.headers.get("access-control-allow-origin"))
        const called = yield* withKey(wallets, { headers: { origin: "https://app.example" } })
        assert.strictEqual(called.headers.get("access-control-allow-origin"), "https://app.example")
        assert.isNull(called.headers.get("access-control-allow-credentials"))
      })
    )

    // A place that is not left is given on after five seconds, and there are two.
    it.effect(
      "answers a preflight and is done with it, so that others need not wait",
      () =>
        Effect.gen(function* () {
          for (let count = 0; count < 20; count++) {
            assert.strictEqual((yield* preflight("https://app.example")).status, 204)
          }
          assert.strictEqual((yield* withKey(wallets)).status, 200)
        }),
      30_000
    )
  }
)
