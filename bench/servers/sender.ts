/**
 * Sends webhooks to a sink as often as it is asked: `raw`, signed by hand through undici, or by the
 * service's own workers over `memory` books or `postgres <url>`. Tells what each batch took.
 */
import { createHmac } from "node:crypto"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import { Pool } from "undici"
import { Deliveries } from "../../core/ports/deliveries.ts"
import { work } from "../../core/workers.ts"
import { offer } from "../child.ts"
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

const headersOf = (id: string, body: string) => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac("sha256", Queue.secret).update(`${timestamp}.${body}`).digest("hex")
  return {
    "content-type": "application/json",
    "user-agent": "Bursar-Webhooks/1",
    "svc-webhook-id": id,
    "svc-webhook-timestamp": timestamp,
    "svc-webhook-event": "payment_request.paid",
    "svc-webhook-signature": `v1=${signature}`
  }
}

const raw = () => {
  const pool = new Pool(origin, { connections: endpoints * places, pipelining: 1, allowH2: false })
  return async (count: number) => {
    let left = count
    const send = async () => {
      while (left-- > 0) {
        const id = `evt_${left}`
        const body = Queue.bodyOf(id)
        const headers = headersOf(id, body)
        const answer = await pool.request({ path: "/ok", method: "POST", headers, body })
        await answer.body.text()
      }
    }
    return timed(() => Promise.all(Array.from({ length: endpoints * places }, send)))
  }
}

/** Queues the batch first; what is timed is the workers' way from there to the last conclusion. */
const delivered = (count: number) =>
  Effect.gen(function* () {
    const urls = Array.from({ length: endpoints }, (_, number) => `${origin}/ok/${number}`)
    const receivers = yield* Queue.endpoints(urls)
    yield* Effect.forEach(
      Array.from({ length: count }, (_, at) => receivers[at % endpoints] ?? receivers[0]),
      (receiver) => (receiver === undefined ? Effect.void : Queue.enqueue(receiver)),
      { concurrency: 8 }
    )
    const book = yield* Deliveries
    const done = yield* Deferred.make<void>()
    let left = count
    const counting = Deliveries.of({
      ...book,
      conclude: (lease, delivery, attempt) =>
        Effect.tap(book.conclude(lease, delivery, attempt), () =>
          --left === 0 ? Deferred.succeed(done, undefined) : Effect.void
        )
    })
    const context = yield* Effect.context<never>()
    return yield* Effect.promise(() =>
      timed(() =>
        Effect.runPromiseWith(context)(
          Effect.gen(function* () {
            const working = yield* Effect.forkChild(work())
            yield* Deferred.await(done)
            yield* Fiber.interrupt(working)
          }).pipe(Effect.provideService(Deliveries, counting)) as Effect.Effect<void>
        )
      )
    )
  })

const layer = (): Layer.Layer<never, unknown> =>
  // The two engines differ in what else they provide; a batch needs only what they share.
  (how === "memory" ? Ports.inMemory : Ports.onPostgres(url)) as never

const batch =
  how === "raw"
    ? raw()
    : (count: number) =>
        Effect.runPromise(Effect.provide(delivered(count) as Effect.Effect<unknown>, layer()))

offer("ready", (count) => batch(Number(count)))
