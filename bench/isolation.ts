/**
 * How late healthy endpoints hear of an event while another endpoint never answers, against the same load
 * without it: from the start of the transaction that tells of it to the sink, on PostgreSQL, through the service's own workers.
 */
import { DateTime, Effect, Fiber } from "effect"
import { work } from "../core/treasury/workers.ts"
import type { Endpoint } from "../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../core/webhooks/endpoint-store.ts"
import { type Child, start } from "./child.ts"
import * as Database from "./database.ts"
import {
  atMost,
  interleaved,
  type Measurement,
  quantile,
  quoted,
  ratio,
  runAlone,
  sliceSeconds
} from "./measure.ts"
import * as Ports from "./ports.ts"
import * as Queue from "./queue.ts"

const healthy = 20
const healthyPerSecond = 200
const deadPerSecond = 60
/** Stands for the ten seconds of the service, so that a short run sees many attempts end. */
const deadlineMs = 1000
/** A tail needs more samples than a mean. */
const seconds = sliceSeconds * 3

type Arrivals = ReadonlyArray<readonly [id: string, at: number]>

const now = () => performance.timeOrigin + performance.now()

/** Events at an even pace, to the endpoints in turn; when each was begun, by its id. */
const paced = Effect.fnUntraced(function* (to: ReadonlyArray<Endpoint>, perSecond: number) {
  const askedAtOf = new Map<string, number>()
  const startedAt = now()
  const total = perSecond * seconds
  const send = Effect.fnUntraced(function* (receiver: Endpoint) {
    const askedAt = now()
    askedAtOf.set(yield* Queue.enqueue(receiver), askedAt)
  })
  const sending: Array<Fiber.Fiber<void>> = []
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((now() - startedAt) / 1000) * perSecond))
    for (; sent < due; sent++) {
      const receiver = to[sent % to.length]
      if (receiver !== undefined) sending.push(yield* Effect.forkChild(send(receiver)))
    }
    yield* Effect.sleep(2)
  }
  yield* Fiber.joinAll(sending)
  return askedAtOf
})

const arrivalsOf = async (sink: Child<unknown>, wanted: number): Promise<Arrivals> => {
  const arrivals: Array<readonly [string, number]> = []
  for (let waits = 0; arrivals.length < wanted && waits < 200; waits++) {
    arrivals.push(...((await sink.ask("arrivals")) as Arrivals))
    await new Promise((resume) => setTimeout(resume, 50))
  }
  if (arrivals.length < wanted) throw new Error("Not all healthy deliveries arrived.")
  return arrivals
}

/** A slice of load with endpoints of its own; the delays of the healthy ones, in milliseconds. */
const slice = Effect.fnUntraced(function* (sink: Child<{ origin: string }>, withDead: boolean) {
  const { origin } = sink.facts
  const urls = Array.from({ length: healthy }, (_, number) => `${origin}/ok/${number}`)
  const receivers = yield* Queue.endpoints(urls)
  const dead = withDead ? yield* Queue.endpoints([`${origin}/dead`]) : []
  const dying = dead.length > 0 ? yield* Effect.forkChild(paced(dead, deadPerSecond)) : undefined
  const askedAtOf = yield* paced(receivers, healthyPerSecond)
  if (dying !== undefined) yield* Fiber.join(dying)
  const arrivals = yield* Effect.promise(() => arrivalsOf(sink, askedAtOf.size))
  const endpoints = yield* WebhookEndpoints
  for (const { accountId, id } of dead) yield* endpoints.remove(accountId, id, yield* DateTime.now)
  return arrivals.map(([id, at]) => at - (askedAtOf.get(id) ?? Number.NaN))
})

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  const sink = await start<{ origin: string }>("servers/sink.ts", "log")
  const ports = Ports.onPostgres(database.url, { webhookSender: { mode: "local", deadlineMs } })
  try {
    const taken = await Effect.runPromise(
      Effect.gen(function* () {
        const working = yield* Effect.forkChild(work())
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof slice>>>()
        const run = (withDead: boolean) => () =>
          Effect.runPromiseWith(context)(slice(sink, withDead))
        const all = yield* Effect.promise(() =>
          interleaved({ without: run(false), with: run(true) })
        )
        yield* Fiber.interrupt(working)
        return all
      }).pipe(Effect.provide(ports))
    )
    const p99 = (delays: ReadonlyArray<number>) => quantile(delays, 0.99)
    const p50 = (delays: ReadonlyArray<number>) => quantile(delays, 0.5)
    const tail = ratio(taken.with.map(p99), taken.without.map(p99))
    const against = "the same load without the dead endpoint"
    return {
      file: "isolation.ts",
      figures: [
        {
          what: "healthy p99, one endpoint dead",
          against,
          ours: quoted(taken.with.map(p99), "ms"),
          theirs: quoted(taken.without.map(p99), "ms"),
          ratio: tail,
          target: atMost(1.5, tail)
        },
        {
          what: "healthy p50, one endpoint dead",
          against,
          ours: quoted(taken.with.map(p50), "ms"),
          theirs: quoted(taken.without.map(p50), "ms"),
          ratio: ratio(taken.with.map(p50), taken.without.map(p50))
        }
      ]
    }
  } finally {
    await sink.stop()
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
