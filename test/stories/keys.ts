/** Stories of keys and retries: what a key may make, when it ends, and that a retry does nothing twice. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story } from "./world.ts"

export const keys: ReadonlyArray<Story> = [
  {
    title: "a key is rotated: the new one works, the old one ends",
    tell: Effect.fnUntraced(function* (world) {
      const made = yield* world.calls.create_api_key({
        scopes: ["account:read", "balances:read"],
        label: "Reporting"
      })
      const next = world.callsWith(made.apiKey as string)
      assert.isNotEmpty((yield* next.get_account({})).id)
      const beyond = yield* Scene.refusal(next.list_events({}))
      assert.strictEqual(beyond.code, "INSUFFICIENT_SCOPE")
      yield* world.calls.revoke_api_key({ keyId: made.id })
      const refused = yield* Scene.refusal(next.get_account({}))
      assert.strictEqual(refused.code, "UNAUTHENTICATED")
      const { api_keys } = yield* world.calls.list_api_keys({})
      const listed = api_keys.find((key) => key.id === made.id)
      assert.isNotNull(listed?.revokedAt)
      assert.notInclude(JSON.stringify(api_keys), made.apiKey as string)
    })
  },
  {
    title: "a key makes no key that may do more than it may itself",
    tell: Effect.fnUntraced(function* (world) {
      const made = yield* world.calls.create_api_key({ scopes: ["keys:manage"] })
      const narrow = world.callsWith(made.apiKey as string)
      const refused = yield* Scene.refusal(
        narrow.create_api_key({ scopes: ["payment_requests:write"] })
      )
      assert.strictEqual(refused.code, "INSUFFICIENT_SCOPE")
    })
  },
  {
    title: "the same call with one idempotency key, 50 times at once, makes one request",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const input = { walletMappingId: vault.walletMappingId, amountUsd: 12 }
      const call = world.calls.create_payment_request(input, "order-1")
      const patient: typeof call = Effect.catchTag(call, "Refused", (refused) =>
        refused.code === "IDEMPOTENCY_IN_PROGRESS"
          ? Effect.andThen(Effect.yieldNow, patient)
          : Effect.fail(refused)
      )
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => patient),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map((answer) => answer.pid)).size, 1)
      const { payment_requests } = yield* world.calls.list_payment_requests({
        walletMappingId: vault.walletMappingId
      })
      assert.strictEqual(payment_requests.length, 1)
      const other = yield* Scene.refusal(
        world.calls.create_payment_request({ ...input, amountUsd: 13 }, "order-1")
      )
      assert.strictEqual(other.code, "IDEMPOTENCY_KEY_REUSED")
      const free = yield* Scene.refusal(
        world.calls.create_payment_request({ ...input, walletMappingId: "nobody" }, "order-2")
      )
      assert.strictEqual(free.code, "NOT_FOUND")
      yield* world.calls.create_payment_request(input, "order-2")
    })
  }
]
