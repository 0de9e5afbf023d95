/** What every store of deliveries must do: they are read and listed as they were, and handed out by `delivery-claims.contract.ts`. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Delivery } from "../../core/webhooks/delivery.ts"
import { Deliveries, type Events, type Filter } from "../../core/webhooks/delivery-store.ts"
import type { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as DeliveryQueue from "../support/delivery-queue.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"
import * as Claims from "./delivery-claims.contract.ts"

type Stores = Deliveries | WebhookEndpoints | Events | Accounts

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  readingSuite(name, stores)
  Claims.suite(name, stores)
}

const readingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: deliveries, reading`, (it) => {
    it.effect("a delivery is read back as it was with its event's text, by its account only", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const event = yield* Stored.event(endpoint.accountId)
        const first = Rows.aDelivery(event, endpoint, {
          status: "skipped",
          nextAttemptAt: null,
          maxAttempts: 3
        })
        const replay = Rows.aDelivery(event, endpoint, { replayOf: first.id })
        yield* deliveries.enqueue([first])
        yield* deliveries.enqueue([replay])
        yield* deliveries.enqueue([])
        for (const delivery of [first, replay]) {
          assert.deepStrictEqual(yield* deliveries.find(endpoint.accountId, delivery.id), {
            delivery,
            attempts: [],
            body: event.body
          })
          const stranger = yield* Stored.account()
          assert.isUndefined(yield* deliveries.find(stranger.id, delivery.id))
          assert.deepStrictEqual(yield* deliveries.list(stranger.id, {}, { limit: 5 }), {
            rows: []
          })
        }
      })
    )

    it.effect("deliveries are listed by what they are about, newest first", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const { accountId } = endpoint
        const other = yield* Stored.endpoint(accountId)
        const paid = yield* Stored.event(accountId)
        const opened = yield* Stored.event(accountId, { type: "payment_request.created" })
        const rows = [
          Rows.aDelivery(paid, endpoint, { createdAt: Rows.at(1) }),
          Rows.aDelivery(paid, endpoint, { createdAt: Rows.at(1), status: "failed" }),
          Rows.aDelivery(paid, other, { createdAt: Rows.at(1) }),
          Rows.aDelivery(opened, other, { createdAt: Rows.at(2) })
        ]
        yield* deliveries.enqueue(rows)
        const read = (filter: Filter) =>
          Effect.map(
            PageWalk.readAll(2, (request) => deliveries.list(accountId, filter, request)),
            PageWalk.ids
          )
        const those = (...places: ReadonlyArray<number>) =>
          PageWalk.newestFirst(rows.filter((_, place) => places.includes(place)))
        assert.deepStrictEqual(yield* read({}), those(0, 1, 2, 3))
        assert.deepStrictEqual(yield* read({ status: "failed" }), those(1))
        assert.deepStrictEqual(yield* read({ endpointId: other.id }), those(2, 3))
        assert.deepStrictEqual(yield* read({ eventId: paid.id }), those(0, 1, 2))
        assert.deepStrictEqual(
          yield* read({ eventType: "payment_request.created", endpointId: other.id }),
          those(3)
        )
      })
    )

    it.effect("attempts are told in their order with the delivery as it stands", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const [row] = yield* DeliveryQueue.queued(endpoint, [0])
        assert.isDefined(row)
        if (row === undefined) return
        const failed = Rows.anAttempt({ responseStatus: null, error: "timeout: 10 s" })
        const retrying: Delivery = {
          ...row,
          status: "retrying",
          attemptCount: 1,
          lastError: "timeout: 10 s",
          nextAttemptAt: Rows.at(33.25)
        }
        const [first] = yield* DeliveryQueue.claimAt(1)
        assert.isTrue(yield* deliveries.conclude(first?.lease ?? "", retrying, failed, true))
        const [second] = yield* DeliveryQueue.claimAt(34)
        assert.deepStrictEqual(second?.delivery, { ...retrying, sequence: 1 })
        const passed = Rows.anAttempt({ n: 2, at: Rows.at(34), trigger: "manual" })
        yield* deliveries.conclude(second?.lease ?? "", DeliveryQueue.delivered(retrying), passed)
        const found = yield* deliveries.find(endpoint.accountId, row.id)
        assert.deepStrictEqual(found?.attempts, [failed, passed])
        assert.deepStrictEqual(found?.delivery, {
          ...DeliveryQueue.delivered(retrying),
          sequence: 1
        })
      })
    )
  })
