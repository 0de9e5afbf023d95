/** Leases on a server are told by the server's clock: that of a replica may stand anywhere. */
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { LeaseClock, ofDatabase } from "../../../adapters/postgres/leases.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Deliveries, type LeasedDelivery } from "../../../core/webhooks/delivery-store.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

const hour = 3600

/** Two replicas on one fresh database, whose leases are told by it; and an endpoint with six deliveries due. */
const twoReplicas = Effect.gen(function* () {
  const address = yield* FreshDatabase.url()
  const engine = Layer.merge(
    FreshDatabase.engineAt(address, 4),
    Layer.succeed(LeaseClock, ofDatabase)
  )
  const replica = Layer.build(Layer.fresh(Layer.provideMerge(Stores.layer, engine)))
  const [one, two] = yield* Effect.all([replica, replica])
  const endpoint = yield* Effect.provideContext(DeliveryQueue.anEndpoint(), one)
  yield* Effect.provideContext(DeliveryQueue.queued(endpoint, Array(6).fill(0)), one)
  return { one, two }
})

const claimBy = (
  replica: Context.Context<Deliveries>,
  seconds: number
): Effect.Effect<ReadonlyArray<LeasedDelivery>> =>
  Effect.provideContext(DeliveryQueue.claimAt(seconds), replica)

it.live("a replica whose clock is ahead takes nothing from another", () =>
  Effect.gen(function* () {
    const { one, two } = yield* twoReplicas
    const held = yield* claimBy(one, 10)
    assert.lengthOf(held, 4)
    assert.lengthOf(yield* claimBy(two, 10 + hour), 0)
    for (const each of held) {
      const isLast = each === held.at(-1)
      const concluding = DeliveryQueue.concludeAsDelivered(each, isLast)
      assert.isTrue(yield* Effect.provideContext(concluding, one))
    }
    assert.lengthOf(yield* claimBy(two, 10 + hour), 2)
  })
)

it.live("a replica whose clock is behind holds its leases no longer than the database says", () =>
  Effect.gen(function* () {
    const { one, two } = yield* twoReplicas
    const now = DateTime.makeUnsafe("2030-01-01T00:00:10Z")
    const leaseMs = 200
    const most = { most: 9, part: 1, maxPerEndpoint: 4, maxWhileFailing: 1 }
    const claim = { now, leaseMs, held: [], ...most }
    const lost = yield* Context.get(one, Deliveries).claim(claim)
    assert.lengthOf(lost, 4)
    const due = yield* Context.get(two, Deliveries).nextDue(now)
    const aheadMs =
      due === undefined ? Number.NaN : DateTime.toEpochMillis(due) - DateTime.toEpochMillis(now)
    assert.isAtMost(aheadMs, leaseMs)
    yield* Effect.sleep(leaseMs + 50)
    const taken = yield* claimBy(two, 10)
    assert.sameMembers(DeliveryQueue.claimedIds(taken), DeliveryQueue.claimedIds(lost))
  })
)

it.live("the end of a lease is told by the clock of whoever asks when the next is due", () =>
  Effect.gen(function* () {
    const { one, two } = yield* twoReplicas
    yield* claimBy(one, 10)
    const deliveries = Context.get(two, Deliveries)
    const asked = DateTime.makeUnsafe("2031-05-05T00:00:00Z")
    const due = yield* deliveries.nextDue(asked)
    const aheadMs =
      due === undefined ? 0 : DateTime.toEpochMillis(due) - DateTime.toEpochMillis(asked)
    assert.isAbove(aheadMs, 20_000)
    assert.isAtMost(aheadMs, 30_000)
  })
)

it.live("a beat does not wait for a row that a transaction has, and extends the others", () =>
  Effect.gen(function* () {
    const { one, two } = yield* twoReplicas
    for (let more = 0; more < 2; more++) {
      const endpoint = yield* Effect.provideContext(DeliveryQueue.anEndpoint(), one)
      yield* Effect.provideContext(DeliveryQueue.queued(endpoint, [1]), one)
    }
    const claimed = yield* Effect.provideContext(DeliveryQueue.claimAt(10, 9, 1), one)
    const [busy, ...others] = claimed
    if (busy === undefined || others.length !== 2) return assert.fail("three endpoints are free")
    const written = yield* Deferred.make<void>()
    const mayCommit = yield* Deferred.make<void>()
    const writing = yield* Context.get(one, Atomically)
      .run(
        Effect.gen(function* () {
          yield* DeliveryQueue.concludeAsDelivered(busy, true)
          yield* Deferred.succeed(written, undefined)
          yield* Deferred.await(mayCommit)
        })
      )
      .pipe(Effect.provideContext(one), Effect.forkChild)
    yield* Deferred.await(written)
    const held = DeliveryQueue.heldBy(claimed)
    const now = DateTime.makeUnsafe("2030-01-01T00:00:10Z")
    const extended = yield* Context.get(two, Deliveries).renew({ held, now, leaseMs: 10_000 })
    assert.sameMembers(
      [...extended],
      others.map(({ lease }) => lease)
    )
    yield* Deferred.succeed(mayCommit, undefined)
    yield* Fiber.join(writing)
  })
)
