/**
 * I2 and I3 on Solana: a process is killed with SIGKILL, or stands still while another works, at each step of a send's
 * journal, in clear, lossy and late weather; and a database is restored from before the send. It is paid once.
 */
import * as Child from "../kill/child.ts"
import type { Point } from "../kill/points.ts"
import { labelOf } from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import type { Figure, Part, Run } from "./part.ts"
import {
  completes,
  openScene,
  type Replica,
  type Scene,
  stateOf,
  type Weather
} from "./solana-scene.ts"
import type { Meant } from "./solana-settings.ts"

/** A little longer than a process may hold a send. */
const leaseMs = 61_000

const signed = ["SolanaRelay.sign", "SubmissionStore.save"]

/** Nothing is handed over yet that weather could lose. */
const preparing: ReadonlyArray<Point> = [
  { call: "SubmissionStore.claim", edge: "after" },
  { call: "SolanaRelay.findPayment", edge: "after" },
  { call: "SolanaRelay.simulate", edge: "after" },
  { call: "Outlay.charge", edge: "after" },
  { call: "SolanaRelay.sign", edge: "before" },
  { call: "SolanaRelay.sign", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.sign" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.sign" },
  { call: "SolanaRelay.broadcast", edge: "before", since: signed }
]

const underWay: ReadonlyArray<Point> = [
  { call: "SolanaRelay.broadcast", edge: "after" },
  { call: "SubmissionStore.save", edge: "before", since: "SolanaRelay.broadcast" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.broadcast" },
  { call: "SolanaRelay.trace", edge: "after" },
  { call: "SubmissionStore.save", edge: "after", since: "SolanaRelay.trace" }
]

/** It is final, in whatever weather it came there. */
const ending: ReadonlyArray<Point> = [
  { call: "Spending.consume", edge: "before" },
  { call: "Spending.consume", edge: "after" },
  { call: "Proposals.move", edge: "after", since: "Spending.consume" },
  { call: "Atomically.run", edge: "inside", within: "Spending.consume" },
  { call: "Atomically.run", edge: "after", within: "Spending.consume" }
]

/** Before and after each write of the journal, each signature, each hand-over, each end. */
const points = [...preparing, ...underWay, ...ending]

/** Those at which nothing of the send was lost by bad weather yet, or something was handed over into it. */
export const weathers: ReadonlyArray<Weather> = ["clear", "lossy", "late"]

/** Past its end there is no weather that matters. */
const isReachedIn = (weather: Weather, { call, since, within: inside }: Point) =>
  weather !== "lossy" || ![call, since, inside].flat().includes("Spending.consume")

interface Lane {
  readonly scene: Scene
  replica: Replica
  aheadMs: number
}

const afresh = async (lane: Lane) => {
  lane.aheadMs += leaseMs
  lane.replica = await lane.scene.start({ aheadMs: lane.aheadMs })
}

const begin = async ({ replica, scene }: Lane, point: Point, weather: Weather) => {
  const meant = await scene.meant(replica)
  await scene.chain.weather(weather)
  await replica.ask({ ask: "arm", point })
  scene.chain.runs(true)
  const proposalId = String(await replica.ask({ ask: "send", meant }))
  return { meant, proposalId }
}

const ends = async ({ replica, scene }: Lane, meant: Meant, proposalId: string) => {
  scene.chain.runs(true)
  await completes(replica, meant, proposalId)
  scene.chain.runs(false)
}

/** One death, and another process that goes on; slots stand still while nobody lives. */
export const dieAt = async (lane: Lane, point: Point, weather: Weather) => {
  const { chain } = lane.scene
  const { meant, proposalId } = await begin(lane, point, weather)
  const place = labelOf(point)
  const { lastWords, signal } = await within(`it dies ${place}`, lane.replica.child.died)
  chain.runs(false)
  if (signal !== "SIGKILL" || lastWords !== `died ${place}`) {
    throw new Error(`It did not die ${place}: ${signal}, ${lastWords}`)
  }
  await chain.weather("clear")
  await afresh(lane)
  await ends(lane, meant, proposalId)
}

/** One standstill, while another process does the work; then it goes on. */
const standAt = async (lane: Lane, point: Point, weather: Weather) => {
  const { chain } = lane.scene
  const { meant, proposalId } = await begin(lane, { ...point, stands: true }, weather)
  const still = lane.replica
  const words = `stood still ${labelOf(point)}`
  await until(words, async () => (still.child.hasSaid(words) ? true : undefined))
  chain.runs(false)
  await chain.weather("clear")
  await afresh(lane)
  // Inside the transaction that ends it, it holds what the other has to wait for.
  const held = [point.call, point.since, point.within].flat()
  const isLocked = ["Spending.consume", "SolanaRelay.trace"].some((call) => held.includes(call))
  if (!isLocked) await ends(lane, meant, proposalId)
  chain.runs(true)
  still.child.resume()
  await ends(lane, meant, proposalId)
  await stateOf(still, meant.accountId, proposalId)
  await still.child.stop()
}

type Perform = (lane: Lane, point: Point, weather: Weather) => Promise<void>

export const told = (times: ReadonlyMap<bigint, number>) => {
  const once = times.get(1n) ?? 0
  const never = times.get(0n) ?? 0
  const all = [...times.values()].reduce((sum, each) => sum + each, 0)
  return {
    all,
    text: `${all} in all: ${all - once - never} double, ${never} lost`,
    holds: once === all
  }
}

export const sweep = async (
  { bundle, say }: Run,
  what: string,
  all: ReadonlyArray<readonly [Point, Weather]>,
  perform: Perform,
  act: "send" | "swap" = "send"
): Promise<Figure> => {
  const scene = await openScene(bundle, act)
  try {
    const lane: Lane = { scene, replica: await scene.start(), aheadMs: 0 }
    let held = 0
    for (const [at, [point, weather]] of all.entries()) {
      try {
        await perform(lane, point, weather)
        held++
      } catch (error) {
        say(`  ${weather}, ${labelOf(point)} since ${[point.since].flat().at(-1)}: ${error}`)
        await lane.replica.child.stop()
        await scene.chain.weather("clear")
        await afresh(lane)
      }
      if ((at + 1) % 20 === 0) say(`  ${at + 1} of ${all.length}`)
    }
    await lane.replica.child.stop()
    const paid = told(await scene.paid())
    return {
      invariant: "I2, I3",
      what,
      seen: `${new Set(all.map(([point]) => point)).size} points, ${all.length} runs, ${all.length - held} stuck; ${paid.text}`,
      holds: held === all.length && paid.holds
    }
  } finally {
    await scene.close()
  }
}

export const inAllWeathers = (among: ReadonlyArray<Point>, times: number) =>
  Array.from({ length: times }, () =>
    weathers.flatMap((weather) =>
      among.flatMap((point) => (isReachedIn(weather, point) ? [[point, weather] as const] : []))
    )
  ).flat()

/** Each point once, and the weathers in turns. */
export const inTurns = (among: ReadonlyArray<Point>): ReadonlyArray<readonly [Point, Weather]> =>
  among.map((point, at) => {
    const reached = weathers.filter((weather) => isReachedIn(weather, point))
    return [point, reached[at % reached.length] ?? "clear"] as const
  })

/** The database as it was before the send, whose caller calls again. */
export const restored = async (
  { bundle, say, times }: Run,
  act: "send" | "swap" = "send"
): Promise<Figure> => {
  const scene = await openScene(bundle, act)
  try {
    let held = 0
    const runs = times(10, 1)
    for (let run = 0; run < runs; run++) {
      const before = `before_${run}`
      await scene.sql(`create database ${before} template postgres`)
      const first = await scene.start()
      const meant = await scene.meant(first)
      scene.chain.runs(true)
      const proposalId = String(await first.ask({ ask: "send", meant }))
      await completes(first, meant, proposalId)
      await first.child.stop()
      const second = await scene.start({ database: before })
      const again = String(await second.ask({ ask: "send", meant }))
      const state = await completes(second, meant, again)
      scene.chain.runs(false)
      await second.child.stop()
      if (state.recovered === true) held++
      else say(`  it was not recovered: ${JSON.stringify(state)}`)
    }
    const paid = told(await scene.paid())
    return {
      invariant: "I2",
      what: `Solana: the database restored from before the ${act}`,
      seen: `${runs} runs, ${held} recovered; ${paid.text}`,
      holds: held === runs && paid.holds
    }
  } finally {
    await scene.close()
  }
}

/** Where it can be lost in every weather, as a death elsewhere is the same in each. */
const eachOnce = [...inTurns(preparing), ...inAllWeathers(underWay, 1), ...inTurns(ending)]

export const withBundle = async (run: Run, act: (run: Run) => Promise<ReadonlyArray<Figure>>) => {
  const bundle = await Child.bundle("test/money/solana-service.ts")
  try {
    return await act({ ...run, bundle })
  } finally {
    bundle.remove()
  }
}

export const part: Part = {
  name: "solana",
  promise: "a send on Solana is paid once, wherever its process dies and whatever the network does",
  run: (run) =>
    withBundle(run, async (own) => [
      await sweep(
        own,
        "Solana: killed with SIGKILL",
        own.quick ? eachOnce : inAllWeathers(points, own.times(20, 1)),
        dieAt
      ),
      await restored(own)
    ])
}

export const standing: Part = {
  name: "solana-pauses",
  promise: "a process that stood still in a send on Solana while another worked pays nothing twice",
  run: (run) =>
    withBundle(run, async (own) => [
      await sweep(
        own,
        "Solana: stood still while another finished, then went on",
        own.quick ? inTurns(points) : inAllWeathers(points, own.times(5, 1)),
        standAt
      )
    ])
}
