/**
 * How late healthy endpoints hear of an event while another endpoint never answers, against the same load
 * without it: from the start of the transaction that tells of it to the sink, on PostgreSQL, through the service's own workers.
 */
import { DateTime, Effect, Fiber } from "effect"
import { work } from "../core/treasury/workers.ts"
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
  rounds,
  runAlone,
  sliceSeconds
} from "./measure.ts"
import * as Ports from "./ports.ts"
import * as Queue from "./queue.ts"
import type { Begun, Pace } from "./servers/writer.ts"

const healthy = 20
const healthyPerSecond = 200
const deadPerSecond = 60
/** Stands for the ten seconds of the service, so that a short run sees many attempts end. */
const deadlineMs = 1000
/**
 * What is late comes in groups of ten to twenty, each time V8 looks through a heap or the disk is slow. The latest hundredth
 * of a round has to be more than two of them, and what else runs on the machine has to come to all sides: slices are
 * short, and a round is several of each.
 */
const seconds = sliceSeconds * 3
const slicesPerRound = 4

type Arrivals = ReadonlyArray<readonly [id: string, at: number]>

const arrivalsOf = async (sink: Child<unknown>, wanted: number): Promise<Arrivals> => {
  const arrivals: Array<readonly [string, number]> = []
  for (let waits = 0; arrivals.length < wanted && waits < 200; waits++) {
    arrivals.push(...((await sink.ask("arrivals")) as Arrivals))
    await new Promise((resume) => setTimeout(resume, 50))
  }
  if (arrivals.length < wanted) throw new Error("Not all healthy deliveries arrived.")
  return arrivals
}

interface Crowd {
  readonly sink: Child<{ origin: string }>
  /** Whoever tells healthy endpoints is disturbed by nobody who tells the dead one. */
  readonly writers: { readonly healthy: Child<unknown>; readonly dead: Child<unknown> }
}

/** A slice of load with endpoints of its own, and maybe one more; the delays of the healthy ones, in milliseconds. */
const slice = Effect.fnUntraced(function* ({ sink, writers }: Crowd, other?: "dead" | "other") {
  const { origin } = sink.facts
  const urls = Array.from({ length: healthy }, (_, number) => `${origin}/ok/${number}`)
  const receivers = yield* Queue.endpoints(urls)
  const added = other === undefined ? [] : yield* Queue.endpoints([`${origin}/${other}`])
  const told = (writer: Child<unknown>, to: Pace["to"], perSecond: number) =>
    writer.ask({
      to: to.map(({ id, accountId, url }) => ({ id, accountId, url })),
      perSecond,
      seconds
    } satisfies Pace) as Promise<Begun>
  const [begun] = yield* Effect.promise(() =>
    Promise.all([
      told(writers.healthy, receivers, healthyPerSecond),
      added.length > 0 ? told(writers.dead, added, deadPerSecond) : []
    ])
  )
  const beganAt = new Map(begun)
  const arrivals = yield* Effect.promise(() => arrivalsOf(sink, beganAt.size))
  const endpoints = yield* WebhookEndpoints
  for (const { accountId, id } of added) yield* endpoints.remove(accountId, id, yield* DateTime.now)
  return arrivals.map(([id, at]) => at - (beganAt.get(id) ?? Number.NaN))
})

/** Of all delays of each round. */
const quantiles = (fraction: number) => (slices: ReadonlyArray<ReadonlyArray<number>>) =>
  Array.from({ length: slices.length / slicesPerRound }, (_, round) => {
    const from = round * slicesPerRound
    return quantile(slices.slice(from, from + slicesPerRound).flat(), fraction)
  })

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  const crowd: Crowd = {
    sink: await start<{ origin: string }>("servers/sink.ts", "log"),
    writers: {
      healthy: await start("servers/writer.ts", database.url),
      dead: await start("servers/writer.ts", database.url)
    }
  }
  const ports = Ports.onPostgres(database.url, { webhookSender: { mode: "local", deadlineMs } })
  try {
    const taken = await Effect.runPromise(
      Effect.gen(function* () {
        const working = yield* Effect.forkChild(work())
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof slice>>>()
        const run = (other?: "dead" | "other") => () =>
          Effect.runPromiseWith(context)(slice(crowd, other))
        const all = yield* Effect.promise(() =>
          interleaved(
            { without: run(), with: run("dead"), answering: run("other") },
            1 + slicesPerRound * rounds
          )
        )
        yield* Fiber.interrupt(working)
        return all
      }).pipe(Effect.provide(ports))
    )
    const p99 = quantiles(0.99)
    const p50 = quantiles(0.5)
    const tail = ratio(p99(taken.with), p99(taken.without))
    const against = "the same load without the dead endpoint"
    const events = healthyPerSecond + deadPerSecond
    const answering = `the same ${events} events a second, where that endpoint answers too`
    return {
      file: "isolation.ts",
      figures: [
        {
          what: "healthy p99, one endpoint dead",
          against,
          ours: quoted(p99(taken.with), "ms"),
          theirs: quoted(p99(taken.without), "ms"),
          ratio: tail,
          target: atMost(1.2, tail)
        },
        {
          what: "healthy p99, one endpoint dead",
          against: answering,
          ours: quoted(p99(taken.with), "ms"),
          theirs: quoted(p99(taken.answering), "ms"),
          ratio: ratio(p99(taken.with), p99(taken.answering))
        },
        {
          what: "healthy p50, one endpoint dead",
          against,
          ours: quoted(p50(taken.with), "ms"),
          theirs: quoted(p50(taken.without), "ms"),
          ratio: ratio(p50(taken.with), p50(taken.without))
        }
      ]
    }
  } finally {
    await Promise.all(
      [crowd.sink, crowd.writers.healthy, crowd.writers.dead].map((each) => each.stop())
    )
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
