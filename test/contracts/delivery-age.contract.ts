/** What every store of events and deliveries must do with those that are past their age. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Delivery } from "../../core/webhooks/delivery.ts"
import { Deliveries, Events } from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import type { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as DeliveryQueue from "../support/delivery-queue.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Deliveries | WebhookEndpoints | Events | Accounts

/** Long before all that other tests write. */
const longAgo = (seconds: number) => Rows.at(seconds - 100_000_000)
const cutoff = longAgo(1000)

const made = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  seconds: number,
  over: Partial<Delivery> = {}
) {
  const event = yield* Stored.event(endpoint.accountId, { createdAt: longAgo(seconds) })
  const delivery = Rows.aDelivery(event, endpoint, { createdAt: longAgo(seconds), ...over })
  yield* (yield* Deliveries).enqueue([delivery])
  return { delivery, event }
})

const ended = { status: "skipped", nextAttemptAt: null } as const

const isThere = ({ delivery, event }: Effect.Success<ReturnType<typeof made>>) =>
  Effect.gen(function* () {
    const { accountId } = event
    const found = yield* (yield* Deliveries).find(accountId, delivery.id)
    return [found !== undefined, (yield* (yield* Events).find(accountId, event.id)) !== undefined]
  })

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: deliveries, age`, (it) => {
    it.effect("what ended before an instant goes, and its event after it", () =>
      Effect.gen(function* () {
        const [deliveries, events] = [yield* Deliveries, yield* Events]
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const old = yield* made(endpoint, 999, ended)
        const young = yield* made(endpoint, 1000, ended)
        const waiting = yield* made(endpoint, 0, { nextAttemptAt: Rows.at(90_000_000) })
        const spent = yield* made(endpoint, 0, { nextAttemptAt: longAgo(0), maxAttempts: 1 })
        const [claimed] = yield* DeliveryQueue.claimAt(0, 1, 1)
        if (claimed === undefined) return assert.fail("what is due is claimed")
        yield* DeliveryQueue.concludeAsFailed(claimed)
        const replayed = yield* made(endpoint, 0, ended)
        const replay = Rows.aDelivery(replayed.event, endpoint, {
          ...ended,
          replayOf: replayed.delivery.id
        })
        yield* deliveries.enqueue([replay])
        assert.strictEqual(yield* events.forget(cutoff, 10), 0)
        assert.strictEqual(yield* deliveries.forget(cutoff, 10), 2)
        assert.strictEqual(yield* deliveries.forget(cutoff, 10), 0)
        assert.strictEqual(yield* events.forget(cutoff, 10), 1)
        assert.strictEqual(yield* events.forget(cutoff, 10), 0)
        assert.deepStrictEqual(yield* isThere(old), [false, false])
        assert.deepStrictEqual(yield* isThere(young), [true, true])
        assert.deepStrictEqual(yield* isThere(waiting), [true, true])
        // A dead letter is never deleted, nor is what it tells.
        assert.deepStrictEqual(yield* isThere(spent), [true, true])
        assert.deepStrictEqual(yield* isThere(replayed), [false, true])
        const later = yield* deliveries.find(endpoint.accountId, replay.id)
        assert.strictEqual(later?.delivery.replayOf, replayed.delivery.id)
        yield* (yield* Deliveries).skipWaiting(endpoint.id, 10)
        yield* deliveries.forget(Rows.at(1), 100)
        yield* events.forget(longAgo(2000), 100)
      })
    )

    it.effect(
      "a batch counts attempts too, takes the oldest first, and says when there is more",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          yield* DeliveryQueue.emptyQueue
          const endpoint = yield* DeliveryQueue.anEndpoint()
          const due = { nextAttemptAt: longAgo(0) }
          const rows = yield* Effect.forEach([3, 1, 2], (seconds) => made(endpoint, seconds, due))
          const claimed = yield* DeliveryQueue.claimAt(0, 1, 10)
          assert.lengthOf(claimed, 3)
          yield* Effect.forEach(claimed, (each) => DeliveryQueue.concludeAsDelivered(each))
          const left = Effect.map(Effect.forEach(rows, isThere), (seen) => seen.map(([is]) => is))
          // Each is two rows with its attempt, so one fits and the next does not.
          assert.isAtLeast(yield* deliveries.forget(cutoff, 3), 3)
          assert.deepStrictEqual(yield* left, [true, false, true])
          // One that is larger than a batch goes alone.
          assert.isAtLeast(yield* deliveries.forget(cutoff, 1), 1)
          assert.deepStrictEqual(yield* left, [true, false, false])
          assert.isAtLeast(yield* deliveries.forget(cutoff, 1), 1)
          assert.deepStrictEqual(yield* left, [false, false, false])
          assert.strictEqual(yield* deliveries.forget(cutoff, 1), 0)
        })
    )

    it.effect("the versions of a request's events go on where they were", () =>
      Effect.gen(function* () {
        const events = yield* Events
        const account = yield* Stored.account()
        yield* events.forget(cutoff, 10)
        const pid = Rows.aPid()
        const numbered = [{ accountId: account.id, pid, madeAt: Rows.at(0) }]
        const [version = 0] = yield* events.nextVersions(numbered)
        yield* Stored.event(account.id, { pid, version, createdAt: longAgo(0) })
        assert.strictEqual(yield* events.forget(cutoff, 10), 1)
        assert.deepStrictEqual(yield* events.nextVersions(numbered), [version + 1])
      })
    )
  })
