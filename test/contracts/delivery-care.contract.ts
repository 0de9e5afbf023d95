/**
 * What every store of deliveries must do for a merchant who looks after an endpoint: number what is sent,
 * spare one that fails or is disabled, and tell what can be made up for.
 */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type * as Page from "../../core/operation/page.ts"
import type { Delivery } from "../../core/webhooks/delivery.ts"
import { Deliveries, type Events, type Recovery } from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as DeliveryQueue from "../support/delivery-queue.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Deliveries | WebhookEndpoints | Events | Accounts

const everything = (endpoint: Endpoint): Recovery => ({
  accountId: endpoint.accountId,
  endpointId: endpoint.id,
  since: Rows.at(0),
  until: Rows.at(1000),
  statuses: ["failed", "skipped"]
})

const ended = { status: "failed", nextAttemptAt: null } as const

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: deliveries, care`, (it) => {
    it.effect(
      "claims number what they take for the first time, per endpoint and without a gap",
      () =>
        Effect.gen(function* () {
          yield* DeliveryQueue.emptyQueue
          const [one, two] = [yield* DeliveryQueue.anEndpoint(), yield* DeliveryQueue.anEndpoint()]
          yield* DeliveryQueue.queued(one, Array(10).fill(0))
          yield* DeliveryQueue.queued(two, Array(3).fill(0))
          const seen = new Map<string, number | null>()
          // Leases run out and are taken over: a number, once given, stays.
          for (const seconds of [1, 40, 80, 120]) {
            const claims = yield* Effect.all(
              Array.from({ length: 8 }, () => DeliveryQueue.claimAt(seconds, 2)),
              { concurrency: "unbounded" }
            )
            for (const claimed of claims.flat()) {
              const { id, sequence } = claimed.delivery
              assert.strictEqual(seen.get(id) ?? sequence, sequence)
              seen.set(id, sequence)
              if (seconds > 1) yield* DeliveryQueue.concludeAsDelivered(claimed)
            }
          }
          const sequencesOf = Effect.fnUntraced(function* ({ accountId }: Endpoint) {
            const { rows } = yield* (yield* Deliveries).list(accountId, {}, { limit: 50 })
            for (const { id, sequence } of rows) assert.strictEqual(sequence, seen.get(id))
            return rows.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b)
          })
          assert.deepStrictEqual(yield* sequencesOf(one), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
          assert.deepStrictEqual(yield* sequencesOf(two), [1, 2, 3])
          const filter = { endpointId: one.id, sequence: 7 }
          const found = yield* (yield* Deliveries).list(one.accountId, filter, { limit: 5 })
          assert.deepStrictEqual(
            found.rows.map(({ sequence }) => sequence),
            [7]
          )
        })
    )

    it.effect(
      "of a failing endpoint one is handed out instead of four, until an attempt succeeds",
      () =>
        Effect.gen(function* () {
          yield* DeliveryQueue.emptyQueue
          const endpoints = yield* WebhookEndpoints
          const endpoint = yield* DeliveryQueue.anEndpoint()
          yield* DeliveryQueue.queued(endpoint, Array(9).fill(0))
          yield* endpoints.noteFailure(endpoint.id, Rows.at(0))
          yield* endpoints.noteFailing(endpoint.id, Rows.at(0))
          const [only, ...others] = yield* DeliveryQueue.claimAt(1)
          if (only === undefined) return assert.fail("nine are due")
          assert.isTrue(only.isAiling)
          assert.isTrue(only.isFailing)
          assert.lengthOf(others, 0)
          assert.lengthOf(yield* DeliveryQueue.claimAt(2), 0)
          assert.strictEqual(only.delivery.attemptCount, 0)
          yield* endpoints.noteSuccess(endpoint.id)
          const more = yield* DeliveryQueue.claimAt(3, 0, 4, DeliveryQueue.heldBy([only], 3))
          assert.lengthOf(more, 3)
          assert.isFalse(more.some(({ isAiling, isFailing }) => isAiling || isFailing))
        })
    )

    it.effect("a claim brings the secret of before only while its grace lasts", () =>
      Effect.gen(function* () {
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint({
          sealedSecret: "sealed-new",
          previousSecret: { sealed: "sealed-old", endsAt: Rows.at(50) },
          standardHeaders: true
        })
        yield* DeliveryQueue.queued(endpoint, [0])
        const [inGrace] = yield* DeliveryQueue.claimAt(10)
        assert.deepStrictEqual(inGrace?.sealedSecrets, ["sealed-new", "sealed-old"])
        assert.isTrue(inGrace?.standardHeaders)
        const [after] = yield* DeliveryQueue.claimAt(50)
        assert.deepStrictEqual(after?.sealedSecrets, ["sealed-new"])
      })
    )

    it.effect(
      "nothing goes to a disabled endpoint; what comes between is skipped by the sweep",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const endpoints = yield* WebhookEndpoints
          yield* DeliveryQueue.emptyQueue
          const endpoint = yield* DeliveryQueue.anEndpoint()
          const [waiting] = yield* DeliveryQueue.queued(endpoint, [5])
          yield* endpoints.revise({ ...endpoint, disabledAt: Rows.at(1) })
          assert.strictEqual(yield* deliveries.skipWaiting(endpoint.id, 9), 1)
          const [stranded] = yield* DeliveryQueue.queued(endpoint, [6])
          assert.deepStrictEqual(yield* DeliveryQueue.claimAt(10), [])
          assert.isUndefined(yield* deliveries.nextDue(Rows.at(0)))
          const statusOf = Effect.fnUntraced(function* (id = "") {
            return (yield* deliveries.find(endpoint.accountId, id))?.delivery.status
          })
          assert.strictEqual(yield* statusOf(waiting?.id), "skipped")
          // Nobody will send it, and readers need not wait for the sweep to know.
          assert.strictEqual(yield* statusOf(stranded?.id), "skipped")
          yield* deliveries.skipStranded(9)
          yield* endpoints.revise(endpoint)
          assert.strictEqual(yield* statusOf(stranded?.id), "skipped")
          assert.deepStrictEqual(yield* DeliveryQueue.claimAt(10), [])
        })
    )

    it.effect("many are skipped by the batch, and are skipped to readers before their batch", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const endpoints = yield* WebhookEndpoints
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const other = yield* DeliveryQueue.anEndpoint({ accountId: endpoint.accountId })
        const queued = yield* DeliveryQueue.queued(endpoint, [0, 5, 6, 7, 8])
        const [elsewhere] = yield* DeliveryQueue.queued(other, [9])
        const [leased] = yield* DeliveryQueue.claimAt(1, 1)
        yield* endpoints.revise({ ...endpoint, disabledAt: Rows.at(1) })
        const listed = Effect.fnUntraced(function* (status: "pending" | "retrying" | "skipped") {
          const page = yield* deliveries.list(endpoint.accountId, { status }, { limit: 9 })
          for (const each of page.rows) assert.strictEqual(each.status, status)
          return PageWalk.ids(page.rows)
        })
        const seen = Effect.gen(function* () {
          assert.sameMembers([...(yield* listed("skipped"))], [...PageWalk.ids(queued)])
          assert.deepStrictEqual(yield* listed("pending"), [elsewhere?.id ?? ""])
          assert.deepStrictEqual(yield* listed("retrying"), [])
        })
        yield* seen
        assert.strictEqual(yield* deliveries.skipWaiting(endpoint.id, 2), 2)
        yield* seen
        assert.strictEqual(yield* deliveries.skipStranded(2), 2)
        assert.strictEqual(yield* deliveries.skipStranded(2), 1)
        assert.strictEqual(yield* deliveries.skipStranded(2), 0)
        yield* seen
        assert.isDefined(leased)
        if (leased === undefined) return
        assert.isTrue(yield* DeliveryQueue.concludeAsDelivered(leased))
        const found = yield* deliveries.find(endpoint.accountId, leased.delivery.id)
        assert.strictEqual(found?.delivery.status, "delivered")
      })
    )

    it.effect("an event can be recovered once, and only where nothing did better", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const other = yield* Stored.endpoint(endpoint.accountId)
        const made = Effect.fnUntraced(function* (
          overs: ReadonlyArray<Partial<Delivery>>,
          to = endpoint,
          type: "payment_request.paid" | "webhook.test" = "payment_request.paid"
        ) {
          const event = yield* Stored.event(endpoint.accountId, { type })
          const rows = overs.map((over) => Rows.aDelivery(event, to, { ...ended, ...over }))
          yield* deliveries.enqueue(rows)
          return rows.at(-1)?.id ?? "none"
        })
        const skipped = yield* made([{ status: "skipped", createdAt: Rows.at(30) }])
        const again = yield* made([{ createdAt: Rows.at(10) }, { createdAt: Rows.at(20) }])
        const gone = yield* made([{ status: "gone", createdAt: Rows.at(15) }])
        yield* made([{ createdAt: Rows.at(10) }, { status: "delivered", createdAt: Rows.at(11) }])
        yield* made([
          { createdAt: Rows.at(10) },
          { status: "retrying", nextAttemptAt: Rows.at(99) }
        ])
        yield* made([{ createdAt: Rows.at(10) }], other)
        yield* made([{ createdAt: Rows.at(10) }], endpoint, "webhook.test")
        const read = (over: Partial<Recovery> = {}) =>
          Effect.map(
            deliveries.recoverable({ ...everything(endpoint), ...over }, { limit: 100 }),
            ({ rows }) => PageWalk.ids(rows)
          )
        assert.deepStrictEqual(yield* read(), [again, skipped])
        assert.deepStrictEqual(yield* read({ statuses: ["skipped"] }), [skipped])
        assert.deepStrictEqual(yield* read({ statuses: ["gone"] }), [gone])
        assert.deepStrictEqual(yield* read({ since: Rows.at(21) }), [skipped])
        assert.deepStrictEqual(yield* read({ until: Rows.at(30) }), [again])
        const stranger = yield* Stored.account()
        assert.deepStrictEqual(yield* read({ accountId: stranger.id }), [])
        // Page by page: what is not to be sent anew takes its place in a page, and no page is left out.
        for (const limit of [1, 2, 3]) {
          const pages: Array<ReadonlyArray<string>> = []
          let after: Page.Position | undefined
          do {
            const request = after === undefined ? { limit } : { limit, after }
            const page = yield* deliveries.recoverable(everything(endpoint), request)
            pages.push(PageWalk.ids(page.rows))
            after = page.next
          } while (after !== undefined)
          assert.deepStrictEqual(pages.flat(), [again, skipped])
          assert.lengthOf(pages, Math.ceil(7 / limit))
        }
      })
    )

    it.effect("deliveries are listed by when they were made, from long ago to far ahead", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const event = yield* Stored.event(endpoint.accountId)
        const rows = [1, 2, 3].map((seconds) =>
          Rows.aDelivery(event, endpoint, { ...ended, createdAt: Rows.at(seconds) })
        )
        yield* deliveries.enqueue(rows)
        const read = (since: DateTime.Utc, until: DateTime.Utc) =>
          Effect.map(deliveries.list(endpoint.accountId, { since, until }, { limit: 5 }), (page) =>
            PageWalk.ids(page.rows)
          )
        const ids = PageWalk.ids(rows)
        assert.deepStrictEqual(yield* read(Rows.at(1), Rows.at(3)), PageWalk.idsAt(rows, 1, 0))
        const [first, last] = ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] as const
        assert.deepStrictEqual(
          yield* read(DateTime.makeUnsafe(first), DateTime.makeUnsafe(last)),
          ids.toReversed()
        )
      })
    )
  })
