/** What a beat does to leases, on every queue alike: it extends those that are current, and no other. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Held, Renew } from "../../core/ports/leases.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { Executions } from "../../core/submissions/execution-store.ts"
import { Settlements } from "../../core/submissions/settlement-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import { Deliveries } from "../../core/webhooks/delivery-store.ts"
import type { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import type { Events } from "../../core/webhooks/event-store.ts"
import * as Delivering from "../support/delivering.ts"
import * as Executing from "../support/executing.ts"
import * as Rows from "../support/rows.ts"
import * as Settling from "../support/settling-rows.ts"

type Stores =
  | Deliveries
  | WebhookEndpoints
  | Events
  | Executions
  | Settlements
  | Proposals
  | Wallets
  | Accounts

/** One that was claimed, and how its holder ends it. */
interface Claimed extends Held {
  readonly conclude: Effect.Effect<boolean, never, Stores>
}

/** A queue as a beat sees it; each claim holds for thirty seconds. */
interface Queue {
  readonly name: string
  readonly empty: Effect.Effect<void, never, Stores>
  /** Queues three that are due. */
  readonly fill: Effect.Effect<unknown, never, Stores>
  readonly claimAt: (seconds: number) => Effect.Effect<ReadonlyArray<Claimed>, never, Stores>
  readonly renew: Effect.Effect<Renew, never, Stores>
}

const deliveries: Queue = {
  name: "deliveries",
  empty: Delivering.emptyQueue,
  fill: Effect.flatMap(Delivering.anEndpoint(), (endpoint) =>
    Delivering.queued(endpoint, [0, 0, 0])
  ),
  claimAt: (seconds) =>
    Effect.map(Delivering.claimAt(seconds), (all) =>
      all.map((claimed) => ({
        id: claimed.delivery.id,
        lease: claimed.lease,
        conclude: Delivering.concludeAsDelivered(claimed)
      }))
    ),
  renew: Effect.map(Deliveries, ({ renew }) => renew)
}

const executions: Queue = {
  name: "executions",
  empty: Executing.emptyQueue,
  fill: Executing.queued([0, 0, 0]),
  claimAt: (seconds) =>
    Effect.map(Executing.claimAt(seconds), (all) =>
      all.map((claimed) => ({
        id: claimed.execution.proposalId,
        lease: claimed.lease,
        conclude: Executing.concludeAsSettled(claimed)
      }))
    ),
  renew: Effect.map(Executions, ({ renew }) => renew)
}

const onboarding = { _tag: "onboarding", plan: "startup", facts: {} } as const

const settlements: Queue = {
  name: "settlements",
  empty: Settling.emptyQueue,
  fill: Effect.flatMap(Settlements, ({ open }) =>
    Effect.forEach([0, 1, 2], () => open(Settling.aSettlement(onboarding)))
  ),
  claimAt: (seconds) =>
    Effect.map(Settling.claimAt(seconds), (all) =>
      all.map(({ lease, settlement }) => ({
        id: settlement.id,
        lease,
        conclude: Effect.flatMap(Settlements, ({ conclude }) =>
          conclude(lease, Settling.asFailed(settlement))
        )
      }))
    ),
  renew: Effect.map(Settlements, ({ renew }) => renew)
}

const sorted = (leases: ReadonlyArray<string>) => leases.toSorted()
const leasesOf = (all: ReadonlyArray<Held>) => sorted(all.map(({ lease }) => lease))

export const suite = (name: string, books: Layer.Layer<Stores>) => {
  for (const queue of [deliveries, executions, settlements]) queueSuite(name, books, queue)
}

const queueSuite = (name: string, books: Layer.Layer<Stores>, queue: Queue) =>
  layer(books)(`${name}: ${queue.name}, beats`, (it) => {
    const filled = Effect.andThen(queue.empty, queue.fill)
    const beat = (claimed: ReadonlyArray<Claimed>, seconds: number, leaseMs: number) => {
      const held = claimed.map(({ id, lease }) => ({ id, lease }))
      return Effect.flatMap(queue.renew, (renew) => renew({ held, now: Rows.at(seconds), leaseMs }))
    }

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
  })
