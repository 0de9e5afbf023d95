/** How any store of deliveries hands them out: endpoints under leases, the longest due first, and some left to others. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Deliveries, type Events, type LeasedDelivery } from "../../core/webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as DeliveryQueue from "../support/delivery-queue.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Deliveries | WebhookEndpoints | Events | Accounts

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: deliveries, claiming`, (it) => {
    it.effect("a claim hands out all an attempt needs, with the endpoint's secret of now", () =>
      Effect.gen(function* () {
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const event = yield* Stored.event(endpoint.accountId)
        const delivery = Rows.aDelivery(event, endpoint)
        yield* (yield* Deliveries).enqueue([delivery])
        yield* (yield* WebhookEndpoints).revise({ ...endpoint, sealedSecret: "sealed-new" })
        const claimed = yield* DeliveryQueue.claimAt(0)
        assert.deepStrictEqual(
          claimed.map(({ lease: _, ...rest }) => rest),
          [
            {
              delivery: { ...delivery, sequence: 1 },
              body: event.body,
              sealedSecrets: ["sealed-new"],
              standardHeaders: false,
              isAiling: false,
              isFailing: false
            }
          ]
        )
        assert.isTrue(yield* DeliveryQueue.concludeAsDelivered(claimed[0] as LeasedDelivery))
      })
    )

    it.effect("only what is due is claimed, the longest due first", () =>
      Effect.gen(function* () {
        yield* DeliveryQueue.emptyQueue
        const [one, two] = [yield* DeliveryQueue.anEndpoint(), yield* DeliveryQueue.anEndpoint()]
        const early = yield* DeliveryQueue.queued(one, [5, 1, 9])
        const late = yield* DeliveryQueue.queued(two, [3, 20])
        const event = yield* Stored.event(one.accountId)
        const settled = (["delivered", "failed", "skipped", "gone"] as const).map((status) =>
          Rows.aDelivery(event, one, { status, nextAttemptAt: null })
        )
        const retrying = Rows.aDelivery(event, one, {
          status: "retrying",
          nextAttemptAt: Rows.at(7)
        })
        yield* (yield* Deliveries).enqueue([...settled, retrying])
        const first = yield* DeliveryQueue.claimAt(9, 9, 2)
        const order = [
          PageWalk.idsAt(early, 1),
          PageWalk.idsAt(late, 0),
          PageWalk.idsAt(early, 0)
        ].flat()
        assert.deepStrictEqual(DeliveryQueue.claimedIds(first), order)
        const more = yield* DeliveryQueue.claimAt(9, 0, 2, DeliveryQueue.heldBy(first, 9))
        assert.deepStrictEqual(DeliveryQueue.claimedIds(more), [
          retrying.id,
          ...PageWalk.idsAt(early, 2)
        ])
      })
    )

    it.effect("an endpoint is at one holder, who alone is handed more of it", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        yield* DeliveryQueue.emptyQueue
        const [hanging, healthy] = [
          yield* DeliveryQueue.anEndpoint(),
          yield* DeliveryQueue.anEndpoint()
        ]
        const stuck = yield* DeliveryQueue.queued(hanging, Array(10).fill(0))
        const fresh = yield* DeliveryQueue.queued(healthy, [5, 6])
        const claimed = yield* DeliveryQueue.claimAt(10)
        const ofHanging = claimed.filter(({ delivery }) => delivery.endpointId === hanging.id)
        assert.lengthOf(ofHanging, 4)
        assert.includeMembers([...DeliveryQueue.claimedIds(claimed)], [...PageWalk.ids(fresh)])
        assert.deepStrictEqual(yield* DeliveryQueue.claimAt(11), [])
        const [held] = DeliveryQueue.heldBy(ofHanging, 3)
        if (held === undefined) return assert.fail("it is held")
        const stranger = { ...held, lease: "another" }
        assert.deepStrictEqual(yield* DeliveryQueue.claimAt(11, 9, 4, [stranger]), [])
        const more = yield* DeliveryQueue.claimAt(11, 9, 4, [held])
        assert.lengthOf(more, 3)
        assert.includeMembers([...PageWalk.ids(stuck)], [...DeliveryQueue.claimedIds(more)])
        assert.lengthOf(new Set(DeliveryQueue.claimedIds([...ofHanging, ...more])), 7)
        for (const each of more) assert.strictEqual(each.lease, held.lease)
        yield* deliveries.release([stranger])
        assert.deepStrictEqual(yield* DeliveryQueue.claimAt(12), [])
        yield* deliveries.release([held])
        const others = yield* DeliveryQueue.claimAt(12)
        assert.lengthOf(others, 4)
        assert.isFalse(yield* DeliveryQueue.concludeAsDelivered(more[0] as LeasedDelivery))
      })
    )

    it.effect("a result counts once, and its last one may give the endpoint back", () =>
      Effect.gen(function* () {
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint()
        yield* DeliveryQueue.queued(endpoint, [0, 0, 0])
        const [first, last] = yield* DeliveryQueue.claimAt(10, 9, 2)
        if (first === undefined || last === undefined) return assert.fail("two are due")
        assert.isTrue(yield* DeliveryQueue.concludeAsDelivered(first))
        assert.isFalse(yield* DeliveryQueue.concludeAsDelivered(first))
        assert.deepStrictEqual(yield* DeliveryQueue.claimAt(11), [])
        assert.isTrue(yield* DeliveryQueue.concludeAsDelivered(last, true))
        assert.lengthOf(yield* DeliveryQueue.claimAt(11), 1)
      })
    )

    it.effect("a claim gives back what it finds nothing for, of which nothing is in hand", () =>
      Effect.gen(function* () {
        yield* DeliveryQueue.emptyQueue
        const [busy, idle] = [yield* DeliveryQueue.anEndpoint(), yield* DeliveryQueue.anEndpoint()]
        yield* DeliveryQueue.queued(busy, [0])
        yield* DeliveryQueue.queued(idle, [0])
        const claimed = yield* DeliveryQueue.claimAt(10)
        const ofIdle = claimed.filter(({ delivery }) => delivery.endpointId === idle.id)
        for (const each of ofIdle) assert.isTrue(yield* DeliveryQueue.concludeAsDelivered(each))
        const held = DeliveryQueue.heldBy(claimed, 4).map((each) =>
          each.id === idle.id ? { ...each, inHand: [] } : each
        )
        // Something is found, so that it stays with its holder.
        yield* DeliveryQueue.queued(idle, [0])
        const more = yield* DeliveryQueue.claimAt(11, 9, 4, held)
        assert.strictEqual(more[0]?.lease, ofIdle[0]?.lease)
        for (const each of more) assert.isTrue(yield* DeliveryQueue.concludeAsDelivered(each))
        assert.deepStrictEqual(yield* DeliveryQueue.claimAt(12, 0, 4, held), [])
        yield* DeliveryQueue.queued(idle, [0])
        yield* DeliveryQueue.queued(busy, [0])
        // Whoever had it has nothing of it any more, and anybody may take it.
        const stale = held.filter(({ id }) => id === idle.id)
        assert.deepStrictEqual(yield* DeliveryQueue.claimAt(13, 0, 4, stale), [])
        const taken = yield* DeliveryQueue.claimAt(13)
        assert.deepStrictEqual(
          taken.map(({ delivery }) => delivery.endpointId),
          [idle.id]
        )
      })
    )

    it.effect("a claim leaves free endpoints for others, but for those of eight that are due", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const claim = {
          now: Rows.at(1),
          leaseMs: 30_000,
          held: [],
          most: 100,
          part: 0.25,
          maxPerEndpoint: 4,
          maxWhileFailing: 1
        }
        const takenOf = Effect.fnUntraced(function* (due: ReadonlyArray<number>) {
          yield* DeliveryQueue.emptyQueue
          for (let count = 0; count < 20; count++) {
            yield* DeliveryQueue.queued(yield* DeliveryQueue.anEndpoint(), due)
          }
          const counts: Array<number> = []
          for (let left = 20; left > 0; left -= counts.at(-1) ?? left) {
            const most = counts.length === 0 ? 1 : claim.most
            const claimed = yield* deliveries.claim({ ...claim, most })
            counts.push(DeliveryQueue.heldBy(claimed).length)
          }
          return counts
        })
        // What is due later, or has no place, says nothing.
        assert.deepStrictEqual(yield* takenOf([0, 0, 0, 0, 0, 0]), [1, 5, 4, 3, 2, 2, 2, 1])
        assert.deepStrictEqual(yield* takenOf([0, 0, 0, 90]), [1, 5, 4, 3, 3, 3, 1])
        assert.deepStrictEqual(yield* takenOf([0, 90, 90, 90]), [1, 8, 8, 3])
      })
    )

    it.effect("the next due is told without what is in hand", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        yield* DeliveryQueue.emptyQueue
        const endpoint = yield* DeliveryQueue.anEndpoint()
        yield* DeliveryQueue.queued(endpoint, [0, 90])
        const claimed = yield* DeliveryQueue.claimAt(10)
        assert.lengthOf(claimed, 1)
        const held = DeliveryQueue.heldBy(claimed)
        assert.deepStrictEqual(yield* deliveries.nextDue(Rows.at(10), held), Rows.at(90))
        assert.deepStrictEqual(yield* deliveries.nextDue(Rows.at(10)), Rows.at(40))
      })
    )

    it.effect("the next due is told without what was due by the last claim and had no place", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        yield* DeliveryQueue.emptyQueue
        yield* DeliveryQueue.queued(yield* DeliveryQueue.anEndpoint(), [0, 5, 90])
        yield* DeliveryQueue.queued(yield* DeliveryQueue.anEndpoint(), [7, 30])
        assert.deepStrictEqual(yield* deliveries.nextDue(Rows.at(4)), Rows.at(5))
        assert.deepStrictEqual(yield* deliveries.nextDue(Rows.at(5)), Rows.at(7))
        assert.deepStrictEqual(yield* deliveries.nextDue(Rows.at(7)), Rows.at(30))
        assert.deepStrictEqual(yield* deliveries.nextDue(Rows.at(30)), Rows.at(90))
        assert.isUndefined(yield* deliveries.nextDue(Rows.at(90)))
      })
    )

    it.effect(
      "64 claims at once hand out each delivery once, and each endpoint under one lease",
      () =>
        Effect.gen(function* () {
          yield* DeliveryQueue.emptyQueue
          const endpoints = yield* Effect.forEach(Array(10).fill(0), () =>
            DeliveryQueue.anEndpoint()
          )
          yield* Effect.forEach(endpoints, (endpoint) =>
            DeliveryQueue.queued(endpoint, Array(12).fill(0))
          )
          const claims = yield* Effect.all(
            Array.from({ length: 64 }, () => DeliveryQueue.claimAt(1, 3)),
            { concurrency: "unbounded" }
          )
          const claimed = [...claims.flat(), ...(yield* DeliveryQueue.claimAt(1))]
          assert.strictEqual(new Set(DeliveryQueue.claimedIds(claimed)).size, claimed.length)
          assert.strictEqual(new Set(claimed.map(({ lease }) => lease)).size, endpoints.length)
          for (const endpoint of endpoints) {
            const atWork = claimed.filter(({ delivery }) => delivery.endpointId === endpoint.id)
            assert.strictEqual(atWork.length, 4)
          }
          assert.deepStrictEqual(yield* DeliveryQueue.claimAt(2), [])
        })
    )

    it.effect(
      "nothing is claimed for a removed endpoint; what was queued is skipped and stays readable",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          yield* DeliveryQueue.emptyQueue
          const endpoint = yield* DeliveryQueue.anEndpoint()
          const [row] = yield* DeliveryQueue.queued(endpoint, [0])
          const id = row?.id ?? ""
          yield* (yield* WebhookEndpoints).remove(endpoint.accountId, endpoint.id, Rows.at(1))
          assert.deepStrictEqual(yield* DeliveryQueue.claimAt(10), [])
          assert.isUndefined(yield* deliveries.nextDue(Rows.at(0)))
          const found = (yield* deliveries.find(endpoint.accountId, id))?.delivery
          assert.strictEqual(found?.endpointId, endpoint.id)
          assert.strictEqual(found?.status, "skipped")
          assert.isNull(found?.nextAttemptAt)
          const listed = yield* deliveries.list(endpoint.accountId, {}, { limit: 5 })
          assert.deepStrictEqual(PageWalk.ids(listed.rows), [id])
        })
    )

    it.effect(
      "what waits for endpoints that were removed is listed as skipped, of each of them",
      () =>
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const first = yield* DeliveryQueue.anEndpoint()
          const { accountId } = first
          const others = yield* Effect.forEach([1, 2, 3], () => Stored.endpoint(accountId))
          const endpoints = [first, ...others]
          const queued = yield* Effect.forEach(endpoints.slice(1), (endpoint) =>
            DeliveryQueue.queued(endpoint, [0, 0])
          )
          const gone = [first, others[0], others[2]].filter((each) => each !== undefined)
          for (const { id } of gone) {
            yield* (yield* WebhookEndpoints).remove(accountId, id, Rows.at(1))
          }
          const listed = Effect.fnUntraced(function* (status: "pending" | "skipped") {
            const page = yield* deliveries.list(accountId, { status }, { limit: 10 })
            return PageWalk.ids(page.rows).toSorted()
          })
          const ids = (rows: ReadonlyArray<{ readonly id: string }> = []) =>
            rows.map(({ id }) => id)
          assert.deepStrictEqual(
            yield* listed("skipped"),
            [...ids(queued[0]), ...ids(queued[2])].toSorted()
          )
          assert.deepStrictEqual(yield* listed("pending"), ids(queued[1]).toSorted())
        })
    )

    it.effect("what was queued for an endpoint just removed is skipped, and nothing else", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        yield* DeliveryQueue.emptyQueue
        const [removed, kept] = [
          yield* DeliveryQueue.anEndpoint(),
          yield* DeliveryQueue.anEndpoint()
        ]
        yield* (yield* WebhookEndpoints).remove(removed.accountId, removed.id, Rows.at(1))
        const [stranded] = yield* DeliveryQueue.queued(removed, [0])
        const [waiting] = yield* DeliveryQueue.queued(kept, [0])
        assert.strictEqual(yield* deliveries.skipStranded(9), 1)
        assert.strictEqual(yield* deliveries.skipStranded(9), 0)
        const statusOf = Effect.fnUntraced(function* (accountId: string, id = "") {
          return (yield* deliveries.find(accountId, id))?.delivery.status
        })
        assert.strictEqual(yield* statusOf(removed.accountId, stranded?.id), "skipped")
        assert.strictEqual(yield* statusOf(kept.accountId, waiting?.id), "pending")
        assert.lengthOf(yield* DeliveryQueue.claimAt(10), 1)
      })
    )

    it.effect("a delivery is queued once; a batch that has a known one queues nothing", () =>
      Effect.gen(function* () {
        const deliveries = yield* Deliveries
        const endpoint = yield* DeliveryQueue.anEndpoint()
        const [known] = yield* DeliveryQueue.queued(endpoint, [0])
        const fresh = Rows.aDelivery(yield* Stored.event(endpoint.accountId), endpoint)
        assert.isDefined(known)
        if (known === undefined) return
        const again = yield* Effect.exit(deliveries.enqueue([fresh, known]))
        assert.isTrue(Exit.isFailure(again))
        assert.isUndefined(yield* deliveries.find(endpoint.accountId, fresh.id))
      })
    )
  })
