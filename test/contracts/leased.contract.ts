/**
 * What a lease means, on every queue alike: it ends by time, a beat extends it, and what is written counts only
 * under the current one.
 */
import { assert, layer } from "@effect/vitest"
import { type DateTime, Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { HeldLease, Release, Renew } from "../../core/ports/leases.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import { Deliveries, type Events } from "../../core/webhooks/delivery-store.ts"
import type { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as DeliveryQueue from "../support/delivery-queue.ts"
import * as Rows from "../support/rows.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"
import * as WaitQueue from "../support/wait-queue.ts"

type Stores =
  | Deliveries
  | WebhookEndpoints
  | Events
  | SubmissionStore
  | WaitStore
  | Proposals
  | Wallets
  | Accounts

/** One that was claimed, and how its holder ends it. */
interface Claimed extends HeldLease {
  readonly conclude: Effect.Effect<boolean, never, Stores>
  readonly concludeUnder: (lease: string) => Effect.Effect<boolean, never, Stores>
}

/** A queue as a beat sees it; each claim holds for thirty seconds. */
interface Queue {
  readonly name: string
  readonly empty: Effect.Effect<void, never, Stores>
  /** Queues one for each of these due times. */
  readonly fill: (seconds: ReadonlyArray<number>) => Effect.Effect<unknown, never, Stores>
  readonly claimAt: (
    seconds: number,
    most?: number
  ) => Effect.Effect<ReadonlyArray<Claimed>, never, Stores>
  readonly renew: Effect.Effect<Renew, never, Stores>
  readonly release: Effect.Effect<Release, never, Stores>
  readonly nextDue: Effect.Effect<DateTime.Utc | undefined, never, Stores>
}

const deliveries: Queue = {
  name: "deliveries",
  empty: DeliveryQueue.emptyQueue,
  // What is leased is an endpoint, with a delivery of it.
  fill: (seconds) =>
    Effect.forEach(seconds, (due) =>
      Effect.flatMap(DeliveryQueue.anEndpoint(), (endpoint) =>
        DeliveryQueue.queued(endpoint, [due])
      )
    ),
  claimAt: (seconds, most) =>
    Effect.map(DeliveryQueue.claimAt(seconds, most), (all) =>
      all.map((claimed) => ({
        id: claimed.delivery.endpointId,
        lease: claimed.lease,
        conclude: DeliveryQueue.concludeAsDelivered(claimed, true),
        concludeUnder: (lease) => DeliveryQueue.concludeAsDelivered({ ...claimed, lease })
      }))
    ),
  renew: Effect.map(Deliveries, ({ renew }) => renew),
  release: Effect.map(Deliveries, ({ release }) => release),
  nextDue: Effect.flatMap(Deliveries, ({ nextDue }) => nextDue(Rows.at(0)))
}

const submissions: Queue = {
  name: "submissions",
  empty: SubmissionQueue.emptyQueue,
  fill: SubmissionQueue.queued,
  claimAt: (seconds, most) =>
    Effect.map(SubmissionQueue.claimAt(seconds, most), (all) =>
      all.map((claimed) => ({
        id: claimed.submission.id,
        lease: claimed.lease,
        conclude: SubmissionQueue.concludeAsEnded(claimed),
        concludeUnder: (lease) => SubmissionQueue.concludeAsEnded({ ...claimed, lease })
      }))
    ),
  renew: Effect.map(SubmissionStore, ({ renew }) => renew),
  release: Effect.map(SubmissionStore, ({ release }) => release),
  nextDue: Effect.flatMap(SubmissionStore, ({ nextDue }) => nextDue(Rows.at(0)))
}

const waits: Queue = {
  name: "waits",
  empty: WaitQueue.emptyQueue,
  fill: WaitQueue.queued,
  claimAt: (seconds, most) =>
    Effect.map(WaitQueue.claimAt(seconds, most), (all) =>
      all.map((claimed) => ({
        id: claimed.wait.id,
        lease: claimed.lease,
        conclude: WaitQueue.concludeAsEnded(claimed),
        concludeUnder: (lease) => WaitQueue.concludeAsEnded({ ...claimed, lease })
      }))
    ),
  renew: Effect.map(WaitStore, ({ renew }) => renew),
  release: Effect.map(WaitStore, ({ release }) => release),
  nextDue: Effect.flatMap(WaitStore, ({ nextDue }) => nextDue(Rows.at(0)))
}

const sorted = (leases: ReadonlyArray<string>) => leases.toSorted()
const leasesOf = (all: ReadonlyArray<HeldLease>) => sorted(all.map(({ lease }) => lease))

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  for (const queue of [deliveries, submissions, waits]) queueSuite(name, stores, queue)
}

const queueSuite = (name: string, stores: Layer.Layer<Stores>, queue: Queue) =>
  layer(stores)(`${name}: ${queue.name}, leases and beats`, (it) => {
    const filledWith = (...seconds: ReadonlyArray<number>) =>
      Effect.andThen(queue.empty, queue.fill(seconds))
    const filled = filledWith(0, 0, 0)
    const beat = (claimed: ReadonlyArray<Claimed>, seconds: number, leaseMs: number) => {
      const held = claimed.map(({ id, lease }) => ({ id, lease }))
      return Effect.flatMap(queue.renew, (renew) => renew({ held, now: Rows.at(seconds), leaseMs }))
    }

    it.effect("a lease that ended is taken over, and its holder's result counts no more", () =>
      Effect.gen(function* () {
        yield* filledWith(0)
        const [first] = yield* queue.claimAt(10)
        assert.deepStrictEqual(yield* queue.claimAt(39.999), [])
        const [second, ...more] = yield* queue.claimAt(40)
        if (first === undefined || second === undefined) return assert.fail("one is due")
        assert.lengthOf(more, 0)
        assert.strictEqual(second.id, first.id)
        assert.notStrictEqual(second.lease, first.lease)
        assert.isFalse(yield* first.conclude)
        assert.isTrue(yield* second.conclude)
        assert.isFalse(yield* second.conclude)
        assert.deepStrictEqual(yield* queue.claimAt(100_000), [])
      })
    )

    it.effect("a lease is of one row and counts for no other", () =>
      Effect.gen(function* () {
        yield* filledWith(0, 1)
        const [first, second] = yield* queue.claimAt(10)
        if (first === undefined || second === undefined) return assert.fail("two are due")
        assert.isFalse(yield* second.concludeUnder(first.lease))
        assert.isTrue(yield* first.conclude)
        assert.isTrue(yield* second.conclude)
      })
    )

    it.effect("the longest due are claimed first, and no more than were asked for", () =>
      Effect.gen(function* () {
        yield* filledWith(3, 1, 2)
        assert.deepStrictEqual(yield* queue.claimAt(0.999), [])
        const dueFirst = yield* queue.claimAt(10, 1)
        assert.lengthOf(dueFirst, 1)
        assert.deepStrictEqual(yield* queue.nextDue, Rows.at(2))
        const others = yield* queue.claimAt(10)
        assert.lengthOf(others, 2)
        assert.lengthOf(new Set([...dueFirst, ...others].map(({ id }) => id)), 3)
      })
    )

    it.effect("the next due time is of what waits and of leases that run out", () =>
      Effect.gen(function* () {
        yield* queue.empty
        assert.isUndefined(yield* queue.nextDue)
        yield* queue.fill([50.5, 20])
        assert.deepStrictEqual(yield* queue.nextDue, Rows.at(20))
        const claimed = yield* queue.claimAt(25)
        assert.deepStrictEqual(yield* queue.nextDue, Rows.at(50.5))
        const more = yield* queue.claimAt(51)
        assert.deepStrictEqual(yield* queue.nextDue, Rows.at(55))
        for (const each of claimed) yield* each.conclude
        assert.deepStrictEqual(yield* queue.nextDue, Rows.at(81))
        for (const each of more) yield* each.conclude
        assert.isUndefined(yield* queue.nextDue)
      })
    )

    it.effect("one beat extends all that it names, and what it does not name ends", () =>
      Effect.gen(function* () {
        yield* filled
        const claimed = yield* queue.claimAt(10)
        const [forgotten, ...kept] = claimed
        if (forgotten === undefined || kept.length !== 2) return assert.fail("three are due")
        assert.deepStrictEqual(sorted(yield* beat(kept, 35, 10_000)), leasesOf(kept))
        assert.deepStrictEqual(
          (yield* queue.claimAt(44.999)).map(({ id }) => id),
          [forgotten.id]
        )
        assert.sameMembers(
          (yield* queue.claimAt(45)).map(({ id }) => id),
          kept.map(({ id }) => id)
        )
      })
    )

    it.effect("what was claimed by another is not extended for the one who lost it", () =>
      Effect.gen(function* () {
        yield* filled
        const lost = yield* queue.claimAt(10)
        const current = yield* queue.claimAt(41)
        assert.lengthOf(current, 3)
        assert.deepStrictEqual(yield* beat(lost, 42, 3_600_000), [])
        assert.lengthOf(yield* queue.claimAt(70.999), 0)
        const last = yield* queue.claimAt(71)
        assert.lengthOf(last, 3)
        for (const each of [...lost, ...current]) assert.isFalse(yield* each.conclude)
        for (const each of last) assert.isTrue(yield* each.conclude)
      })
    )

    it.effect("a lease that ended and that nobody took is extended, and its result counts", () =>
      Effect.gen(function* () {
        yield* filled
        const claimed = yield* queue.claimAt(10)
        assert.deepStrictEqual(sorted(yield* beat(claimed, 60, 30_000)), leasesOf(claimed))
        assert.lengthOf(yield* queue.claimAt(80), 0)
        for (const each of claimed) assert.isTrue(yield* each.conclude)
        assert.deepStrictEqual(yield* beat(claimed, 81, 30_000), [])
      })
    )

    it.effect("what is given back is claimed at once, and a late beat does not extend it", () =>
      Effect.gen(function* () {
        yield* filled
        const claimed = yield* queue.claimAt(10)
        const [given, ...kept] = claimed
        if (given === undefined || kept.length !== 2) return assert.fail("three are due")
        yield* (yield* queue.release)([given])
        assert.deepStrictEqual(sorted(yield* beat(claimed, 11, 30_000)), leasesOf(kept))
        const [again, ...more] = yield* queue.claimAt(11)
        if (again === undefined) return assert.fail("one was given back")
        assert.lengthOf(more, 0)
        assert.strictEqual(again.id, given.id)
        // By whoever had it before, too late.
        yield* (yield* queue.release)([given])
        assert.lengthOf(yield* queue.claimAt(12), 0)
        assert.isFalse(yield* given.conclude)
        for (const each of [again, ...kept]) assert.isTrue(yield* each.conclude)
      })
    )
  })
