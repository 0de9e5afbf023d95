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
  type Figure,
  interleaved,
  type Measurement,
  quoted,
  ratio,
  runAlone,
  sliceSeconds
} from "./measure.ts"
import * as Ports from "./ports.ts"
import * as Queue from "./queue.ts"
import * as Quota from "./quota.ts"

/** A hundred thousand are asked for by BENCH_BACKLOG=100000. */
const backlog = Number(process.env.BENCH_BACKLOG ?? 10_000)
const batch = 2000
const events = 500
const rawBatch = 8_000
/** Writers of events at a time. */
const writers = 16

const endpoints = 16

/** Of a core for each process that delivers, so that three of them, the database and the receiver fit into two cores. */
const percent = 20

/** What a process may have had more than its share by the clock of this one. */
const measuredShare = 1.1

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

/** The same with a share of a core for each carrier, and no more than that. */
const sharedBy =
  (carriers: ReadonlyArray<Child<unknown>>, quotas: ReadonlyArray<Quota.Quota>) =>
  (work: () => Promise<number>) =>
  async () => {
    const used = () => Promise.all(carriers.map((each) => each.cpuSeconds()))
    const before = await used()
    const theirs = quotas.slice(0, carriers.length)
    for (const quota of theirs) quota.enter()
    const startedAt = performance.now()
    const taken = await carriedBy(carriers)(work)()
    const seconds = (performance.now() - startedAt) / 1000
    for (const quota of theirs) quota.leave()
    const most = Math.max(...(await used()).map((after, at) => after - (before[at] ?? 0)))
    if (most > measuredShare * (percent / 100) * seconds) {
      throw new Error(`A process with ${percent} % of a core used ${most} s of CPU in ${seconds} s`)
    }
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
  const quotas = Quota.each(
    [...ours, ...boss].map(({ pid }) => pid),
    percent
  )
  try {
    const taken = await interleaved({
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
    if (typeof quotas === "string") {
      console.error(`No process can be given a share of a core, so that is left out: ${quotas}.`)
      return { taken, shared: undefined }
    }
    const shared = await interleaved({
      one: sharedBy(ours.slice(0, 1), quotas)(drainOurs(batch)),
      three: sharedBy(ours, quotas)(drainOurs(batch)),
      bossOne: sharedBy(boss.slice(0, 1), quotas.slice(ours.length))(drainJobs),
      bossThree: sharedBy(boss, quotas.slice(ours.length))(drainJobs)
    })
    return { taken, shared }
  } finally {
    await Promise.all([raw, hand, ...ours, ...boss].map((each) => each.stop()))
    if (typeof quotas !== "string") for (const quota of quotas) quota.close()
    await jobs.close()
  }
}

type Samples = Awaited<ReturnType<typeof taking>>

interface More {
  readonly least?: number
  readonly unit?: string
}

const figuresOf =
  <Name extends string>(taken: Readonly<Record<Name, ReadonlyArray<number>>>) =>
  (
    what: string,
    ours: Name,
    theirs: Name,
    against: string,
    { least, unit = "/s" }: More = {}
  ): Figure => {
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

const byBoss = "pg-boss, fetched, logged and completed in batches of 64, before undici by hand"
const waiting = `${batch} waiting webhooks drained`
const toScale = { least: 1.6 }

const drainedFigures = ({ taken }: Samples): ReadonlyArray<Figure> => {
  const figure = figuresOf(taken)
  const undici = "one process of raw undici, signing and posting, nothing written down"
  return [
    figure(`${waiting}, one process`, "one", "raw", undici),
    figure(`${waiting}, one process`, "one", "bossOne", byBoss, { least: 0.5 }),
    figure(`${waiting}, three processes`, "three", "bossThree", byBoss),
    figure(`${waiting}, three processes`, "three", "one", "one process", toScale),
    figure(`${batch} jobs of pg-boss, three processes`, "bossThree", "bossOne", "one process")
  ]
}

const sharedFigures = ({ shared }: Samples): ReadonlyArray<Figure> => {
  if (shared === undefined) return []
  const figure = figuresOf(shared)
  const share = `each process with ${percent} % of a core`
  const three = `${waiting}, ${share}: three processes`
  return [
    figure(`${waiting}, ${share}: one process`, "one", "bossOne", byBoss),
    figure(three, "three", "bossThree", byBoss),
    figure(three, "three", "one", "one process", toScale),
    figure(
      `${batch} jobs of pg-boss, ${share}: three processes`,
      "bossThree",
      "bossOne",
      "one process"
    )
  ]
}

const pacedFigures = ({ taken }: Samples): ReadonlyArray<Figure> => {
  const figure = figuresOf(taken)
  const uncarried = "the same events committed, while nobody carries any"
  const hand = "LISTEN, one statement that claims, undici by hand, one statement that records"
  const attempted = `from an event's commit to its attempt's, p50, at ${pacedPerSecond} a second`
  const recorded = "events committed one by one until recorded"
  const inMs = { unit: "ms" }
  return [
    figure(attempted, "pacedOne", "pacedThree", "the same with three processes", inMs),
    figure(attempted, "pacedOne", "pacedHand", hand, inMs),
    figure(`${recorded}, one process`, "committedOne", "written", uncarried),
    figure(`${recorded}, three processes`, "committedThree", "written", uncarried),
    figure(
      `backlog of ${backlog}, three processes`,
      "backlogThree",
      "three",
      `a queue of ${batch}, three processes`
    )
  ]
}

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  const sink = await start<{ origin: string }>("servers/sink.ts")
  try {
    const samples = await Effect.runPromise(
      Effect.gen(function* () {
        const context = yield* Effect.context<Ground>()
        const run: Run = (work) => Effect.runPromiseWith(context)(work)
        return yield* Effect.promise(() => taking(run, database.url, sink))
      }).pipe(Effect.provide(Ports.onPostgres(database.url)))
    )
    const figures = [drainedFigures, sharedFigures, pacedFigures].flatMap((of) => of(samples))
    return { file: "throughput.ts", figures }
  } finally {
    await sink.stop()
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
