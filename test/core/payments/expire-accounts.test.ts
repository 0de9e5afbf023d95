/** Requests of several accounts that expire in one transaction: each is told to the endpoints of its own account, once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { expireDue } from "../../../core/payments/expire.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Cursors } from "../../../core/payments/transfer-store.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** More than there are in one transaction, and of several accounts each. */
const each = 70

it.effect("what expires is told to the endpoints of its own account, each once", () =>
  Effect.gen(function* () {
    const requests = yield* PaymentRequests
    const expected: Array<Array<string>> = []
    const vaults = yield* Effect.all([Stored.vault(), Stored.vault(), Stored.vault()])
    yield* (yield* Cursors).start(Rows.aCursor({ chainId: "local", finalTime: Rows.at(1000) }))
    for (const [index, vault] of vaults.entries()) {
      // One has no endpoint, one has one and one has two.
      for (let count = 0; count < index; count++) {
        yield* Stored.endpoint(vault.accountId, { events: ["payment_request.expired"] })
      }
      const opened = Array.from({ length: each }, (_, at) =>
        Rows.aPaymentRequest(vault, { chainId: "local", status: "open", expiresAt: Rows.at(at) })
      )
      yield* Effect.forEach(opened, requests.open)
      expected.push(opened.flatMap(({ pid }) => Array.from({ length: index }, () => pid)).sort())
    }
    assert.strictEqual(yield* expireDue, 3 * each)
    assert.strictEqual(yield* expireDue, 0)
    const deliveries = yield* Deliveries
    for (const [index, { accountId }] of vaults.entries()) {
      const { rows } = yield* deliveries.list(accountId, {}, { limit: 3 * each })
      const bodies = yield* Effect.forEach(rows, ({ id }) => deliveries.find(accountId, id))
      const pids = bodies.map(
        (found) => JSON.parse(found?.body ?? "").data.object.paymentRequestPid
      )
      assert.deepStrictEqual(pids.sort(), expected[index])
    }
  }).pipe(
    Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1))
  )
)
