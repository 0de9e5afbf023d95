/** One answer to every caller without a key in force, whatever is wrong with it and wherever it asks. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bound } from "../../adapters/http/route.ts"
import * as Key from "../../core/accounts/key.ts"
import { everyScope, issued } from "../support/small-treasury.ts"
import * as Surfaces from "../support/surfaces.ts"
import { callTool, fetched, request } from "../support/surfaces.ts"

const challenge = 'Bearer error="invalid_token"'

const facts = ({ error }: { error: Record<string, unknown> }) => ({ ...error, requestId: "" })

layer(Surfaces.layer())("a caller without a key in force", (it) => {
  it.effect("gets one body, and an error in its challenge only when it offered a key", () =>
    Effect.gen(function* () {
      const misspelt = (yield* issued(everyScope)).replace(/.{6}$/u, "AAAAAA")
      const unknown = Key.compose("agent", "x".repeat(Key.secretLength))
      const headers: ReadonlyArray<Readonly<Record<string, string>>> = [
        {},
        { authorization: "" },
        { authorization: "Basic dTpw" },
        { authorization: "Bearer" },
        { authorization: "Bearer nonsense" },
        { authorization: `Bearer ${misspelt}` },
        { authorization: `Bearer ${unknown}` },
        { authorization: `Bearer ${yield* issued(everyScope, { revoked: true })}` },
        { authorization: `Bearer ${yield* issued(everyScope, { expired: true })}` },
        { cookie: `session=${yield* issued(everyScope)}` }
      ]
      const replies = yield* Effect.forEach(headers, (each) =>
        fetched("/api/v1/wallets", { headers: { ...each } })
      )
      const [first] = replies
      for (const [index, reply] of replies.entries()) {
        assert.strictEqual(reply.status, 401)
        const offered = headers[index]?.authorization?.startsWith("Bearer") ?? false
        const expected = offered ? challenge : "Bearer"
        assert.strictEqual(reply.headers.get("www-authenticate"), expected)
        assert.deepStrictEqual(facts(reply.body), facts(first?.body))
      }
    })
  )

  it.effect("is known by its key whatever the case of the word Bearer", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const reply = yield* fetched("/api/v1/wallets", {
        headers: { authorization: `bearer ${key}` }
      })
      assert.strictEqual(reply.status, 200)
    })
  )

  for (const one of bound) {
    it.effect(`is refused ${one.operation.name} before its input is looked at`, () =>
      Effect.gen(function* () {
        const rest = yield* request(one, { extra: { strayProperty: "x" } })
        assert.strictEqual(rest.status, 401)
        assert.strictEqual(rest.body.error.code, "UNAUTHENTICATED")
        const tool = yield* callTool(one.operation.name, {}, "nonsense")
        assert.strictEqual(tool.status, 401)
        assert.strictEqual(tool.headers.get("www-authenticate"), challenge)
        assert.strictEqual(tool.body.error.data.code, "UNAUTHENTICATED")
      })
    )
  }
})

layer(Surfaces.layer({ failuresAllowed: 3, proxies: 1 }))(
  "an address that keeps guessing",
  (it) => {
    const from = (address: string, key: string) =>
      fetched("/api/v1/wallets", {
        headers: { authorization: `Bearer ${key}`, "x-forwarded-for": `9.9.9.9, ${address}` }
      })

    it.effect("is told to wait with its next guess, while a good key passes from there", () =>
      Effect.gen(function* () {
        const key = yield* issued(everyScope)
        const unknown = Key.compose("agent", "y".repeat(Key.secretLength))
        for (const guess of ["nonsense", unknown, "nonsense"]) {
          assert.strictEqual((yield* from("10.0.0.1", guess)).status, 401)
        }
        for (const guess of ["nonsense", unknown]) {
          const refused = yield* from("10.0.0.1", guess)
          assert.strictEqual(refused.status, 429)
          assert.strictEqual(refused.headers.get("retry-after"), "60")
          assert.strictEqual(refused.headers.get("ratelimit"), '"failed_keys";r=0;t=60')
          assert.strictEqual(refused.headers.get("ratelimit-policy"), '"failed_keys";q=3;w=60')
          assert.strictEqual(refused.body.error.code, "RATE_LIMITED")
          assert.strictEqual((yield* from("10.0.0.1", key)).status, 200)
        }
        assert.strictEqual((yield* from("10.0.0.2", "nonsense")).status, 401)
        assert.strictEqual((yield* from("10.0.0.2", key)).status, 200)
      })
    )

    it.effect("is its whole /64 of IPv6", () =>
      Effect.gen(function* () {
        for (const address of ["2001:db8:1:2::1", "2001:db8:1:2:3::", "2001:DB8:1:2:f:f:f:f"]) {
          assert.strictEqual((yield* from(address, "nonsense")).status, 401, address)
        }
        Surfaces.assertSpent(yield* from("2001:db8:1:2::99", "nonsense"), "failed_keys")
        assert.strictEqual((yield* from("2001:db8:1:3::1", "nonsense")).status, 401)
      })
    )

    it.effect("is not made by asking without any key", () =>
      Effect.gen(function* () {
        for (const _ of [1, 2, 3, 4, 5]) {
          assert.strictEqual((yield* fetched("/api/v1/wallets")).status, 401)
        }
      })
    )
  }
)

layer(Surfaces.layer({ failuresAllowed: 100, proxies: 1 }))("a key bound to addresses", (it) => {
  const listWallets = (key: string, forwarded: string) =>
    fetched("/api/v1/wallets", {
      headers: { authorization: `Bearer ${key}`, "x-forwarded-for": forwarded }
    })

  it.effect("is unknown from anywhere else, whatever stands before the proxy's own entry", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope, { ipRanges: ["10.0.0.0/8", "2001:db8::/32"] })
      for (const inside of ["10.0.0.1", "1.2.3.4, 10.0.0.1", "::ffff:10.9.9.9", "2001:db8::1"]) {
        assert.strictEqual((yield* listWallets(key, inside)).status, 200, inside)
      }
      const unknown = yield* listWallets("nonsense", "10.0.0.1")
      const told = ({ body, headers, status }: typeof unknown) => ({
        status,
        challenge: headers.get("www-authenticate"),
        error: { ...body.error, requestId: "" }
      })
      for (const outside of ["11.0.0.1", "10.0.0.1, 11.0.0.1", "10.0.0.1:80", "::", "nowhere"]) {
        assert.deepStrictEqual(told(yield* listWallets(key, outside)), told(unknown), outside)
      }
      const tool = yield* callTool("list_wallets", {}, key)
      assert.strictEqual(tool.status, 401, "from the loopback, without a proxy")
    })
  )

  it.effect("tells its account of strays, once a minute and without their text unread", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope, { ipRanges: ["10.0.0.0/8"] })
      const told = Effect.map(
        fetched("/api/v1/audit-log?limit=100", {
          headers: {
            authorization: `Bearer ${yield* issued(everyScope)}`,
            "x-forwarded-for": "1.1.1.1"
          }
        }),
        ({ body }): ReadonlyArray<{ readonly action: string; readonly facts: unknown }> =>
          body.data.entries.filter(
            (entry: { readonly action: string; readonly subjectId: string }) =>
              entry.action === "api_key.refused"
          )
      )
      const before = (yield* told).length
      for (const _ of [1, 2, 3, 4]) yield* listWallets(key, "192.0.2.1")
      const [entry, ...more] = yield* told
      assert.strictEqual(more.length, before)
      assert.deepInclude(entry, { facts: { reason: "address", address: "192.0.2.1" } })
    })
  )
})

layer(Surfaces.layer({ callsAllowed: 2 }))("a key that has spent its rate limit", (it) => {
  it.effect("is told when to come back, with one rate limit over REST and tools", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const headers = { authorization: `Bearer ${key}` }
      const first = yield* fetched("/api/v1/wallets", { headers })
      assert.strictEqual(first.headers.get("ratelimit"), '"reads";r=1;t=60')
      const second = yield* callTool("list_wallets", {}, key)
      assert.isFalse(second.body.result.isError)
      assert.strictEqual(second.headers.get("ratelimit"), '"reads";r=0;t=60')
      const third = yield* fetched("/api/v1/wallets", { headers })
      Surfaces.assertSpent(third, "reads")
      assert.strictEqual(third.headers.get("retry-after"), "60")
      assert.strictEqual(third.headers.get("ratelimit-policy"), '"reads";q=2;w=60')
      const fourth = yield* callTool("list_wallets", {}, key)
      assert.strictEqual(fourth.body.result.structuredContent.error.code, "RATE_LIMITED")
    })
  )
})
