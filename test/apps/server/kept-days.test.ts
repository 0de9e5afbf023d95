/** How long webhooks are kept is what the operator has set, from the variable down to the chore that deletes them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { readConfiguration, settingsOf } from "../../../apps/server/serve.ts"
import { cleanup } from "../../../core/treasury/cleanup.ts"
import { WebhookSettings } from "../../../core/webhooks/webhook-settings.ts"
import * as Accounts from "../../support/accounts.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

it.effect("an event and its delivery go after as many days as BURSAR_WEBHOOKS_KEPT_DAYS says", () =>
  Effect.gen(function* () {
    const environment = { BURSAR_WEBHOOKS_KEPT_DAYS: "7" }
    const settings = settingsOf(yield* readConfiguration(environment), environment)
    const { call } = yield* Accounts.opened()
    const { id } = yield* call.create_merchant_webhook({ url: "https://example.com/hook" })
    yield* call.send_merchant_webhook_test({ id })
    const [claimed] = yield* DeliveryQueue.claimAt(50_000_000)
    if (claimed === undefined) return assert.fail("a test is sent at once")
    yield* DeliveryQueue.concludeAsDelivered(claimed)
    const kept = Effect.gen(function* () {
      yield* Effect.provideService(cleanup, WebhookSettings, settings)
      const { webhook_deliveries } = yield* call.list_webhook_deliveries({})
      const { events } = yield* call.list_events({})
      return [webhook_deliveries.length, events.length]
    })
    yield* TestClock.adjust("7 days")
    assert.deepStrictEqual(yield* kept, [1, 1])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* kept, [0, 0])
  }).pipe(Effect.provide(memoryTreasury))
)
