/** What merchants see of events and provisioning jobs that are past their age: they are not there any more. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { cleanup } from "../../../core/treasury/cleanup.ts"
import { defaultKeptDays } from "../../../core/webhooks/webhook-settings.ts"
import * as Accounts from "../../support/accounts.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

it.effect("an event and its delivery are kept for ninety days, and then neither is found", () =>
  Effect.gen(function* () {
    const { call } = yield* Accounts.opened()
    const { id } = yield* call.create_merchant_webhook({ url: "https://example.com/hook" })
    yield* call.send_merchant_webhook_test({ id })
    const [sent] = (yield* call.list_webhook_deliveries({})).webhook_deliveries
    const [claimed] = yield* DeliveryQueue.claimAt(50_000_000)
    if (sent === undefined || claimed === undefined) return assert.fail("a test is sent at once")
    yield* DeliveryQueue.concludeAsDelivered(claimed)
    const seen = Effect.gen(function* () {
      yield* cleanup
      const { webhook_deliveries } = yield* call.list_webhook_deliveries({})
      const { events } = yield* call.list_events({})
      return [webhook_deliveries.length, events.length]
    })
    yield* TestClock.adjust(`${defaultKeptDays} days`)
    assert.deepStrictEqual(yield* seen, [1, 1])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* seen, [0, 0])
    const refused = yield* Effect.flip(call.replay_webhook_delivery({ id: sent.id }))
    assert.strictEqual(refused._tag, "NOT_FOUND")
  }).pipe(Effect.provide(memoryTreasury))
)
