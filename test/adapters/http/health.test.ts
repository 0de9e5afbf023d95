/** What a supervisor is told: alive, ready or not and why, and the counts. */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched, withKey } from "../../support/surfaces.ts"

let isUp = true
const checks = [
  {
    name: "database",
    check: Effect.suspend(() => (isUp ? Effect.void : Effect.die("secret dsn")))
  },
  { name: "chain", check: Effect.void }
]

layer(Surfaces.layer({ checks }))("health", (it) => {
  it.effect("is live as long as the process answers", () =>
    Effect.gen(function* () {
      const reply = yield* fetched("/health/live")
      assert.strictEqual(reply.status, 200)
      assert.deepStrictEqual(reply.body, { status: "live" })
    })
  )

  it.effect("is ready when every check is up, and 503 with the state of each when one is not", () =>
    Effect.gen(function* () {
      isUp = true
      const ready = yield* fetched("/health/ready")
      assert.strictEqual(ready.status, 200)
      assert.strictEqual(ready.body.checks.database.status, "up")
      isUp = false
      const unready = yield* fetched("/health/ready")
      assert.strictEqual(unready.status, 503)
      assert.strictEqual(unready.body.checks.database.status, "down")
      assert.strictEqual(unready.body.checks.chain.status, "up")
      assert.notInclude(unready.text, "secret")
    })
  )

  it.effect("counts operations by outcome and answers by status", () =>
    Effect.gen(function* () {
      yield* withKey("/api/v1/wallets")
      yield* withKey("/api/v1/wallets?limit=0")
      const { headers, text } = yield* fetched("/metrics")
      assert.include(headers.get("content-type") ?? "", "text/plain; version=0.0.4")
      assert.match(text, /^bursar_http_responses_total\{status="200"\} [1-9]/mu)
      assert.match(text, /^bursar_http_responses_total\{status="400"\} [1-9]/mu)
      assert.match(
        text,
        /^bursar_invocations_total\{operation="list_wallets",outcome="ok"\} [1-9]/mu
      )
      assert.match(
        text,
        /^bursar_invocations_total\{operation="list_wallets",outcome="INVALID_REQUEST"\} [1-9]/mu
      )
      assert.match(text, /^bursar_invocation_duration_ms_count\{operation="list_wallets"\} [1-9]/mu)
    })
  )
})

const never = [{ name: "database", check: Effect.never, timeoutMs: 20 }]

layer(Surfaces.layer({ checks: never }), { excludeTestServices: true })(
  "a check that hangs",
  (it) => {
    it.effect("is down once its time is over", () =>
      Effect.gen(function* () {
        const reply = yield* fetched("/health/ready")
        assert.strictEqual(reply.status, 503)
        assert.strictEqual(reply.body.checks.database.status, "down")
      })
    )
  }
)

let measured = 0
const metrics = {
  audience: Redacted.make("a token of the operator's".replaceAll(" ", "-")),
  measure: Effect.suspend(() => {
    measured += 1
    return Effect.die("secret dsn")
  })
}

layer(Surfaces.layer({ metrics }))("counts behind a token", (it) => {
  it.effect("are told to whoever bears it, though figures cannot be read just now", () =>
    Effect.gen(function* () {
      const bearing = (token: string) =>
        fetched("/metrics", { headers: { authorization: `Bearer ${token}` } })
      for (const reply of [
        yield* fetched("/metrics"),
        yield* bearing("another-token-altogether")
      ]) {
        assert.strictEqual(reply.status, 401)
        assert.strictEqual(reply.text, "")
      }
      assert.strictEqual(measured, 0)
      const reply = yield* bearing(Redacted.value(metrics.audience))
      assert.strictEqual(reply.status, 200)
      assert.include(reply.text, "bursar_http_responses_total")
      yield* bearing(Redacted.value(metrics.audience))
      assert.strictEqual(measured, 1)
    })
  )
})

layer(Surfaces.layer({ metrics: { audience: "off" } }))("counts told to nobody", (it) => {
  it.effect("have no address", () =>
    Effect.gen(function* () {
      const [off, nowhere] = [yield* fetched("/metrics"), yield* fetched("/nowhere")]
      assert.strictEqual(off.status, nowhere.status)
    })
  )
})
