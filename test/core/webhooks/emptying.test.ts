/** An endpoint for which very much waits is disabled in one call, and is enabled again once that is skipped. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { maxRows } from "../../../core/background/chore.ts"
import { cleanup } from "../../../core/treasury/cleanup.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import * as Accounts from "../../support/accounts.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"

it.effect("what waited when it was disabled never comes alive again with the endpoint", () =>
  Effect.gen(function* () {
    const { accountId, call } = yield* Accounts.opened()
    const endpoint = yield* Stored.endpoint(accountId)
    const { id } = endpoint
    yield* DeliveryQueue.queued(endpoint, Array(2 * maxRows + 1).fill(0))
    const waiting = Effect.map(
      call.list_webhook_deliveries({ status: "pending" }),
      (page) => page.webhook_deliveries.length
    )
    yield* call.disable_merchant_webhook({ id })
    assert.strictEqual(yield* waiting, 0)
    const refused = yield* Effect.flip(call.enable_merchant_webhook({ id }))
    assert.strictEqual(refused._tag, "WEBHOOK_ENDPOINT_EMPTYING")
    assert.isTrue(refused.retryable)
    yield* cleanup
    assert.strictEqual(yield* (yield* Deliveries).skipStranded(maxRows), 0)
    yield* call.enable_merchant_webhook({ id })
    assert.strictEqual(yield* waiting, 0)
    assert.deepStrictEqual(yield* DeliveryQueue.claimAt(10), [])
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect(
  "a disabled or deleted endpoint leaves what waits to a chore, and shows it as skipped",
  () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* Accounts.opened()
      const { skipStranded } = yield* Deliveries
      for (const end of ["disable_merchant_webhook", "delete_merchant_webhook"] as const) {
        const endpoint = yield* Stored.endpoint(accountId)
        yield* DeliveryQueue.queued(endpoint, Array(3).fill(0))
        yield* call[end]({ id: endpoint.id })
        const filter = { endpointId: endpoint.id, status: "skipped" } as const
        const shown = yield* call.list_webhook_deliveries(filter)
        assert.lengthOf(shown.webhook_deliveries, 3)
        assert.strictEqual(yield* skipStranded(maxRows), 3)
      }
    }).pipe(Effect.provide(memoryTreasury))
)
