/** What a lease on a delivery means beside what it means on every queue. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Deliveries, type Events } from "../../core/webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as DeliveryQueue from "../support/delivery-queue.ts"
import * as Rows from "../support/rows.ts"

type Stores = Deliveries | WebhookEndpoints | Events | Accounts

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: deliveries, leases`, (it) => {
    it.effect(
      "of many results at once each counts under its own lease, and a late one not at all",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          yield* DeliveryQueue.emptyQueue
          const endpoints = yield* Effect.forEach(Array(10).fill(0), () =>
            DeliveryQueue.anEndpoint()
          )
          yield* Effect.forEach(endpoints, (endpoint) =>
            DeliveryQueue.queued(endpoint, Array(4).fill(0))
          )
          const late = yield* DeliveryQueue.claimAt(10)
          const current = yield* DeliveryQueue.claimAt(41)
          assert.lengthOf(current, 40)
          const outcomes = yield* Effect.forEach(
            [...late, ...current, ...current],
            (each) => DeliveryQueue.concludeAsDelivered(each),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(outcomes.slice(0, 40).filter(Boolean).length, 0)
          assert.strictEqual(outcomes.slice(40).filter(Boolean).length, 40)
          for (const { delivery } of current) {
            const found = yield* deliveries.find(delivery.accountId, delivery.id)
            assert.strictEqual(found?.delivery.status, "delivered")
            assert.strictEqual(found?.attempts.length, 1)
          }
        })
    )

    it.effect(
      "a result that waits for another to be written is kept when its attempt is given up",
      () =>
        Effect.gen(function* () {
          yield* DeliveryQueue.emptyQueue
          yield* DeliveryQueue.queued(yield* DeliveryQueue.anEndpoint(), [0, 0])
          const [first, second] = yield* DeliveryQueue.claimAt(10)
          if (first === undefined || second === undefined) return assert.fail("Nothing was claimed")
          const writing = yield* Effect.forkChild(DeliveryQueue.concludeAsDelivered(first))
          yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
          const waiting = yield* Effect.forkChild(DeliveryQueue.concludeAsDelivered(second), {
            startImmediately: true
          })
          yield* Fiber.interrupt(waiting)
          yield* Fiber.join(writing)
          const { accountId, id } = second.delivery
          const found = yield* (yield* Deliveries).find(accountId, id)
          assert.strictEqual(found?.delivery.status, "delivered")
        })
    )

    it.effect("what a crashed worker held is handed out again when its lease ends", () =>
      Effect.gen(function* () {
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint()
        yield* DeliveryQueue.queued(endpoint, Array(6).fill(0))
        const lost = DeliveryQueue.claimedIds(yield* DeliveryQueue.claimAt(10))
        const again = DeliveryQueue.claimedIds(yield* DeliveryQueue.claimAt(41))
        assert.strictEqual(lost.length, 4)
        assert.strictEqual(again.length, 4)
        assert.strictEqual(new Set([...lost, ...again]).size <= 6, true)
        assert.deepStrictEqual(yield* DeliveryQueue.claimAt(42), [])
      })
    )

    it.effect(
      "a claim does not take what it asks more of as held, though that lease has ended",
      () =>
        Effect.gen(function* () {
          yield* DeliveryQueue.emptyQueue
          yield* DeliveryQueue.queued(yield* DeliveryQueue.anEndpoint(), Array(20).fill(0))
          const first = yield* DeliveryQueue.claimAt(10)
          const more = yield* DeliveryQueue.claimAt(41, 100, 4, DeliveryQueue.heldBy(first, 9))
          assert.deepStrictEqual(
            new Set(more.map(({ lease }) => lease)),
            new Set(first.map(({ lease }) => lease))
          )
          const numbers = (claimed: typeof more) => claimed.map(({ delivery }) => delivery.sequence)
          assert.deepStrictEqual(
            [...numbers(first), ...numbers(more)],
            Array.from({ length: 13 }, (_, at) => at + 1)
          )
          // Whoever takes it next numbers the rest after those.
          assert.deepStrictEqual(
            numbers(yield* DeliveryQueue.claimAt(42, 100, 20)),
            Array.from({ length: 20 }, (_, at) => at + 1)
          )
        })
    )

    it.effect(
      "what is under way when its endpoint is removed is skipped, unless it still arrives",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          yield* DeliveryQueue.emptyQueue
          const endpoint = yield* DeliveryQueue.anEndpoint()
          yield* DeliveryQueue.queued(endpoint, [0, 1, 2])
          const [arriving, failing, crashed] = yield* DeliveryQueue.claimAt(10)
          if (arriving === undefined || failing === undefined || crashed === undefined) {
            return assert.fail("Three deliveries are due.")
          }
          yield* (yield* WebhookEndpoints).remove(endpoint.accountId, endpoint.id, Rows.at(11))
          assert.isTrue(yield* DeliveryQueue.concludeAsDelivered(arriving))
          const retrying = {
            ...failing.delivery,
            status: "retrying" as const,
            attemptCount: 1,
            nextAttemptAt: Rows.at(60)
          }
          assert.isTrue(
            yield* deliveries.conclude(failing.lease, retrying, Rows.anAttempt({ n: 1 }))
          )
          const found = yield* Effect.forEach([arriving, failing, crashed], ({ delivery }) =>
            deliveries.find(endpoint.accountId, delivery.id)
          )
          assert.deepStrictEqual(
            found.map((each) => [each?.delivery.status, each?.attempts.length]),
            [
              ["delivered", 1],
              ["skipped", 1],
              ["skipped", 0]
            ]
          )
          assert.isNull(found[1]?.delivery.nextAttemptAt)
          assert.deepStrictEqual(yield* DeliveryQueue.claimAt(100), [])
        })
    )
  })
