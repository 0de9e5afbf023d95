/**
 * Webhooks per second on PostgreSQL until their 2xx is recorded: a queue drained by one process and by three,
 * events from their commit on, and a long backlog; against undici alone, and against pg-boss with our log of
 * attempts before the same sender. And how long it is from an event's commit to that of its attempt.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Endpoint } from "../core/webhooks/endpoint.ts"
import * as Backlog from "./backlog.ts"
import * as ByNotice from "./by-notice.ts"
import { type Child, start } from "./child.ts"
import * as Database from "./database.ts"
import * as Jobs from "./jobs.ts"
import {
  atLeast,
  interleaved,
  type Measurement,
  quoted,
  ratio,
  runAlone,
  sliceSeconds
} from "./measure.ts"
import * as Ports from "./ports.ts"
import * as Queue from "./queue.ts"

/** A hundred thousand are asked for by BENCH_BACKLOG=100000. */
const backlog = Number(process.env.BENCH_BACKLOG ?? 10_000)
const batch = 2000
const events = 500
const rawBatch = 8_000
/** Writers of events at a time. */
const writers = 16

const endpoints = 16

/** An even pace that leaves everybody idle between two events. */
const pacedPerSecond = 60

const perSecond = async (count: number, work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return (1000 * count) / (performance.now() - startedAt)
}

type Run = <A>(work: Effect.Effect<A, unknown, Ground>) => Promise<A>
type Ground =
  | Effect.Services<
      | ReturnType<typeof Backlog.pile>
      | ReturnType<typeof Queue.enqueue>
      | ReturnType<typeof Queue.endpoints>
      | ReturnType<typeof Backlog.medianMs>
    >
  | SqlClient

/** The contenders, each with processes of its own that rest while another one runs. */
const contenders = (
  run: Run,
  receivers: ReadonlyArray<Endpoint>,
  jobs: Awaited<ReturnType<typeof Jobs.open>>
) => {
  const drainOurs = (count: number) => async () => {
    await run(Backlog.pile(receivers, count))
    return perSecond(count, () => run(Backlog.drained("ours")))
  }
  const drainJobs = async () => {
    await jobs.pile(batch)
    return perSecond(batch, () => run(Backlog.drained("jobs")))
  }
  const write = Effect.forEach(
    Array.from({ length: events }, (_, at) => receivers[at % receivers.length] as Endpoint),
    Queue.enqueue,
    { concurrency: writers, discard: true }
  )
  const written = () => perSecond(events, () => run(write))
  const committed = () =>
    perSecond(events, () => run(Effect.andThen(write, Backlog.drained("ours"))))
  /** Events one by one at an even pace; the median from commit to commit. */
  const paced = () =>
    run(
      Effect.gen(function* () {
        const ids: Array<string> = []
        const writing = Effect.forEach(
          Array.from({ length: pacedPerSecond * sliceSeconds }, (_, at) => at),
          (at) =>
            Effect.sleep(1000 / pacedPerSecond).pipe(
              Effect.andThen(Queue.enqueue(receivers[at % receivers.length] as Endpoint)),
              Effect.map((id) => ids.push(id))
            ),
          { discard: true }
        )
        yield* writing
        yield* Backlog.drained("ours")
        return yield* Backlog.medianMs(ids)
      })
    )
  return { drainOurs, drainJobs, written, committed, paced }
}

/** Work that these carriers do, while all others rest. */
const carriedBy =
  (carriers: ReadonlyArray<Child<unknown>>) => (work: () => Promise<number>) => async () => {
    await Promise.all(carriers.map((each) => each.ask("go")))
    const taken = await work()
    await Promise.all(carriers.map((each) => each.ask("rest")))
    return taken
  }

const startThree = (...args: ReadonlyArray<string>) =>
  Promise.all(Array.from({ length: 3 }, () => start("servers/carrier.ts", ...args)))

const taking = async (run: Run, url: string, sink: Child<{ origin: string }>) => {
  const { origin } = sink.facts
  const urls = Array.from({ length: endpoints }, (_, number) => `${origin}/ok/${number}`)
  const receivers = await run(Queue.endpoints(urls))
  const jobs = await Jobs.open(url)
  const raw = await start("servers/sender.ts", "raw", origin)
  const ours = await startThree("ours", url)
  const boss = await startThree("boss", url, origin)
  const hand = await start("servers/carrier.ts", "hand", url, origin)
  const { committed, drainJobs, drainOurs, paced, written } = contenders(run, receivers, jobs)
  const [one, three] = [carriedBy(ours.slice(0, 1)), carriedBy(ours)]
  const [bossOne, bossThree] = [carriedBy(boss.slice(0, 1)), carriedBy(boss)]
  try {
    return await interleaved({
      raw: async () => rawBatch / ((await raw.ask(rawBatch)) as { seconds: number }).seconds,
      one: one(drainOurs(batch)),
      three: three(drainOurs(batch)),
      bossOne: bossOne(drainJobs),
      bossThree: bossThree(drainJobs),
      // Who carries rests, and has what was written carried afterwards.
      written: async () => {
        const taken = await written()
        await one(drainOurs(0))()
        return taken
      },
      committedOne: one(committed),
      committedThree: three(committed),
      pacedOne: one(paced),
      pacedHand: carriedBy([hand])(() =>
        ByNotice.pacedMs(url, pacedPerSecond, pacedPerSecond * sliceSeconds)
      ),
      pacedThree: three(paced),
      backlogThree: three(drainOurs(backlog))
    })
  } finally {
    await Promise.all([raw, hand, ...ours, ...boss].map((each) => each.stop()))
    await jobs.close()
  }
}

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  const sink = await start<{ origin: string }>("servers/sink.ts")
  try {
    const taken = await Effect.runPromise(
      Effect.gen(function* () {
        const context = yield* Effect.context<Ground>()
        const run: Run = (work) => Effect.runPromiseWith(context)(work)
        return yield* Effect.promise(() => taking(run, database.url, sink))
      }).pipe(Effect.provide(Ports.onPostgres(database.url)))
    )
    const figure = (
      what: string,
      ours: keyof typeof taken,
      theirs: keyof typeof taken,
      against: string,
      { least, unit = "/s" }: { readonly least?: number; readonly unit?: string } = {}
    ) => {
      const found = ratio(taken[ours], taken[theirs])
      return {
        what,
        against,
        ours: quoted(taken[ours], unit),
        theirs: quoted(taken[theirs], unit),
        ratio: found,
        ...(least === undefined ? {} : { target: atLeast(least, found) })
      }
    }
    const undici = "one process of raw undici, signing and posting, nothing written down"
    const uncarried = "the same events committed, while nobody carries any"
    const boss = "pg-boss, fetched, logged and completed in batches of 64, before undici by hand"
    return {
      file: "throughput.ts",
      figures: [
        figure(`${batch} waiting webhooks drained, one process`, "one", "raw", undici),
        figure(`${batch} waiting webhooks drained, one process`, "one", "bossOne", boss, {
          least: 0.5
        }),
        figure(`${batch} waiting webhooks drained, three processes`, "three", "bossThree", boss),
        figure(
          `${batch} waiting webhooks drained, three processes`,
          "three",
          "one",
          "one process",
          { least: 1.6 }
        ),
        figure(`${batch} jobs of pg-boss, three processes`, "bossThree", "bossOne", "one process"),
        figure(
          `from an event's commit to its attempt's, p50, at ${pacedPerSecond} a second`,
          "pacedOne",
          "pacedThree",
          "the same with three processes",
          { unit: "ms" }
        ),
        figure(
          `from an event's commit to its attempt's, p50, at ${pacedPerSecond} a second`,
          "pacedOne",
          "pacedHand",
          "LISTEN, one statement that claims, undici by hand, one statement that records",
          { unit: "ms" }
        ),
        figure(
          "events committed one by one until recorded, one process",
          "committedOne",
          "written",
          uncarried
        ),
        figure(
          "events committed one by one until recorded, three processes",
          "committedThree",
          "written",
          uncarried
        ),
        figure(
          `backlog of ${backlog}, three processes`,
          "backlogThree",
          "three",
          `a queue of ${batch}, three processes`
        )
      ]
    }
  } finally {
    await sink.stop()
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
