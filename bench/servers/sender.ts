/**
 * Sends webhooks to a sink as often as it is asked: `raw`, signed by hand through undici, or by the
 * service's own workers, from a `plain` list or from `postgres <url>`. Tells what each batch took.
 */
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { work } from "../../core/treasury/workers.ts"
import { Deliveries } from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import * as Rows from "../../test/support/rows.ts"
import * as ByHand from "../by-hand.ts"
import { offer } from "../child.ts"
import * as PlainQueue from "../plain-queue.ts"
import * as Ports from "../ports.ts"
import * as Queue from "../queue.ts"

const [how, origin = "", url = ""] = process.argv.slice(2)

/** So many at once: the places of sixteen endpoints. */
const endpoints = 16
const places = 4

const timed = async (work: () => Promise<unknown>) => {
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  const { system, user } = process.cpuUsage(cpuBefore)
  return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (system + user) / 1e6 }
}

const raw = () => {
  const post = ByHand.sender(origin, endpoints * places)
  return async (count: number) => {
    let left = count
    const send = async () => {
      while (left-- > 0) await post(`evt_${left}`)
    }
    return timed(() => Promise.all(Array.from({ length: endpoints * places }, send)))
  }
}

/** Enough receivers, and whose turn it is. */
const receiving = Effect.map(
  Queue.endpoints(Array.from({ length: endpoints }, (_, number) => `${origin}/ok/${number}`)),
  (receivers) => (at: number) => receivers[at % endpoints] as Endpoint
)

/** The batch in a list, already as it would be claimed. */
const listed = Effect.fnUntraced(function* (count: number) {
  const receiver = yield* receiving
  return PlainQueue.over(
    Array.from({ length: count }, (_, at) => {
      const endpoint = receiver(at)
      const id = `evt_${at}`
      const event = Rows.anEvent(endpoint.accountId, { id, body: Queue.bodyOf(id) })
      const delivery = Rows.aDelivery(event, endpoint)
      return {
        delivery,
        body: event.body,
        sealedSecrets: [endpoint.sealedSecret],
        standardHeaders: false,
        isAiling: false,
        isFailing: false,
        lease: endpoint.id
      }
    })
  )
})

/** The batch in the store. */
const booked = Effect.fnUntraced(function* (count: number) {
  const receiver = yield* receiving
  const all = Array.from({ length: count }, (_, at) => receiver(at))
  yield* Effect.forEach(all, Queue.enqueue, { concurrency: 8 })
  return yield* Deliveries
})

/** Queues the batch first; what is timed is the workers' way from there to the last conclusion. */
const delivered = Effect.fnUntraced(function* (count: number) {
  const queue = yield* how === "plain" ? listed(count) : booked(count)
  const done = yield* Deferred.make<void>()
  let left = count
  const counting = Deliveries.of({
    ...(yield* Deliveries),
    ...queue,
    conclude: (...result) =>
      Effect.tap(queue.conclude(...result), () =>
        --left === 0 ? Deferred.succeed(done, undefined) : Effect.void
      )
  })
  const context = yield* Effect.context<never>()
  const working = Effect.gen(function* () {
    const workers = yield* Effect.forkChild(work())
    yield* Deferred.await(done)
    yield* Fiber.interrupt(workers)
  }).pipe(Effect.provideService(Deliveries, counting))
  // The ports are in the context, whichever of the two layers it was made of.
  const run = () => Effect.runPromiseWith(context)(working as Effect.Effect<void>)
  return yield* Effect.promise(() => timed(run))
})

const layer = (): Layer.Layer<never, unknown> =>
  // The two engines differ in what else they provide; a batch needs only what they share.
  (how === "plain" ? Ports.inMemory : Ports.onPostgres(url)) as never

const batch =
  how === "raw"
    ? raw()
    : (count: number) =>
        Effect.runPromise(Effect.provide(delivered(count) as Effect.Effect<unknown>, layer()))

offer("ready", (count) => batch(Number(count)))
