/** An endpoint for which very much waits is disabled in one call, and is enabled again once that is skipped. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { openAccount } from "../../../core/accounts/open.ts"
import { maxRows } from "../../../core/background/chore.ts"
import { issue } from "../../../core/keys/create-key.ts"
import { Scope } from "../../../core/operation/caller.ts"
import { tidy } from "../../../core/treasury/cleanup.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import * as Stored from "../../support/stored-rows.ts"

const world = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)
)

it.effect("what waited when it was disabled never comes alive again with the endpoint", () =>
  Effect.gen(function* () {
    const { id: accountId } = yield* openAccount({
      name: "Shop",
      kind: "developer",
      tier: "startup"
    })
    const wanted = { accountId, kind: "developer", label: null, expiresAt: null } as const
    const { text } = yield* issue({ ...wanted, scopes: Scope.literals })
    const call = callsOf(yield* authenticate(text))
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
    yield* tidy
    assert.strictEqual(yield* (yield* Deliveries).skipStranded(maxRows), 0)
    yield* call.enable_merchant_webhook({ id })
    assert.strictEqual(yield* waiting, 0)
    assert.deepStrictEqual(yield* DeliveryQueue.claimAt(10), [])
  }).pipe(Effect.provide(world))
)
