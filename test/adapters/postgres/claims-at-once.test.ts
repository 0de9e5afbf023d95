/** Replicas that hear of the same deliveries at the same time: each takes endpoints of its own. */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Deliveries, type LeasedDelivery } from "../../../core/webhooks/delivery-store.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"

const claim = {
  now: Rows.at(10),
  leaseMs: 30_000,
  held: [],
  most: 100,
  part: 0.125,
  maxPerEndpoint: 4,
  maxWhileFailing: 1
}

const endpointsOf = (claimed: ReadonlyArray<LeasedDelivery>) => [
  ...new Set(claimed.map(({ delivery }) => delivery.endpointId))
]

it.live("a claim passes over the endpoints that another is taking, for the next ones", () =>
  Effect.gen(function* () {
    const address = yield* FreshDatabase.url()
    const replica = Layer.build(
      Layer.fresh(Layer.provideMerge(Stores.layer, FreshDatabase.engineAt(address, 4)))
    )
    const [one, two] = yield* Effect.all([replica, replica])
    const endpoints = yield* Effect.forEach(Array.from({ length: 6 }), (_, at) =>
      Effect.tap(DeliveryQueue.anEndpoint(), (endpoint) =>
        DeliveryQueue.queued(endpoint, Array(6).fill(at))
      )
    ).pipe(Effect.provideContext(one))
    const ids = endpoints.map(({ id }) => id)
    const taken = yield* Deferred.make<ReadonlyArray<LeasedDelivery>>()
    const mayCommit = yield* Deferred.make<void>()
    const taking = yield* Context.get(one, Atomically)
      .run(
        Effect.gen(function* () {
          yield* Deferred.succeed(taken, yield* Context.get(one, Deliveries).claim(claim))
          yield* Deferred.await(mayCommit)
        })
      )
      .pipe(Effect.provideContext(one), Effect.forkChild)
    const first = yield* Deferred.await(taken)
    const others = yield* Context.get(two, Deliveries).claim(claim)
    yield* Deferred.succeed(mayCommit, undefined)
    yield* Fiber.join(taking)
    assert.sameMembers(endpointsOf(first), ids.slice(0, 2))
    assert.sameMembers(endpointsOf(others), ids.slice(2, 4))
    const last = yield* Context.get(one, Deliveries).claim(claim)
    assert.sameMembers(endpointsOf(last), ids.slice(4))
    assert.deepStrictEqual(yield* Context.get(two, Deliveries).claim(claim), [])
  })
)
