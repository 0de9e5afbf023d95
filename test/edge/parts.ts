/** All parts of the verification: crowds before all guards, each guard alone, and no guard at all. */
import { setTimeout } from "node:timers/promises"
import type * as Guards from "../../adapters/http/guards/guards.ts"
import type { Figure, Part, Run } from "../money/part.ts"
import * as SlowClients from "../support/slow-clients.ts"
import * as Crowd from "./crowd.ts"
import * as Fresh from "./fresh.ts"
import { type Kind, kindsOf } from "./kinds.ts"
import * as Scene from "./scene.ts"

/** What a process runs. */
export const program = "test/edge/service.ts"

const off = {
  connections: "off",
  door: "off",
  inOrder: "off",
  slowReaders: "off",
  unsentBytes: "off"
} as const

const maxGrownMib = 400
const maxFreshMs = 1_000
const maxGoneMs = 40_000

/** More than a system's buffers take. */
const manyAhead = 150

/** Work that was asked for at once is done by then. */
const settledMs = 5_000

/** The service's own bounds, but streams that end as soon as the rest. */
const usual: Guards.Options = { slowReaders: { streamMs: 20_000 } }

/** The same, small enough for a test. */
const small: Guards.Options = { slowReaders: { stalledMs: 3_000, streamMs: 4_000 } }

const guardsOf = ({ quick }: Run) => (quick ? small : usual)

const quantile = (times: ReadonlyArray<number>, share: number): number => {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const ms = (value: number) => `${Math.round(value)} ms`

const within = async <A>(
  run: Run,
  guards: Guards.Options,
  body: (scene: Scene.Scene) => Promise<A>
): Promise<A> => {
  const scene = await Scene.start(run.bundle, guards, 60)
  try {
    return await body(scene)
  } finally {
    await scene.close()
  }
}

/** What a fresh client saw, in words, and whether that was all it may expect. */
const judged = (calls: ReadonlyArray<Fresh.Call>, what: Fresh.Call["what"], completeMs: number) => {
  const own = calls.filter((call) => call.what === what)
  const took = own.map(({ tookMs }) => tookMs)
  const later = own.filter(({ atMs }) => atMs >= completeMs + settledMs)
  const settledMax = quantile(
    (later.length === 0 ? own : later).map(({ tookMs }) => tookMs),
    1
  )
  const others = own.filter(({ seen }) => seen !== 200).map(({ seen }) => String(seen))
  const refused =
    others.length === 0
      ? "none refused"
      : `${others.length} refused (${[...new Set(others)].join(", ")})`
  return {
    seen: `p50 ${ms(quantile(took, 0.5))}, max ${ms(quantile(took, 1))}, ${ms(settledMax)} once all had come, of ${own.length} ${refused}`,
    holds: own.length > 0 && settledMax <= maxFreshMs && others.length === 0
  }
}

/** A crowd comes, is watched until it is gone, and a fresh client asks all the while. */
const held = async (
  scene: Scene.Scene,
  what: string,
  kinds: ReadonlyArray<Kind>,
  count: number,
  tick?: (client: SlowClients.SlowClient) => void
): Promise<Figure> => {
  const beforeMib = scene.rssMib()
  const client = await Fresh.begin(scene)
  const crowd = await Crowd.gather(scene, kinds, count)
  const completeMs = Date.now()
  const timer = setInterval(() => {
    if (tick !== undefined) for (const each of crowd.clients) tick(each)
  }, 10_000)
  const seen = await Crowd.watch(scene, beforeMib, maxGoneMs + 20_000)
  clearInterval(timer)
  const calls = await client.end()
  crowd.leave()
  const account = judged(calls, "account", completeMs)
  const pay = judged(calls, "pay", completeMs)
  const { goneAfterMs, grownMib, maxHeld } = seen
  return {
    invariant: "edge",
    what: `${count} of ${what}`,
    seen: `memory +${Math.round(grownMib)} MiB; ${maxHeld} held at most, ${
      goneAfterMs === undefined ? "still some in the end" : `none after ${ms(goneAfterMs)}`
    }; a fresh client's reads ${account.seen}; a payer's pages ${pay.seen}`,
    holds:
      grownMib < maxGrownMib &&
      goneAfterMs !== undefined &&
      goneAfterMs <= maxGoneMs &&
      account.holds &&
      pay.holds
  }
}

const each: Part = {
  name: "kinds",
  promise: "clients that read nothing of any one answer are cut, and others are served meanwhile",
  run: (run) =>
    within(run, guardsOf(run), async (scene) => {
      const figures: Array<Figure> = []
      for (const kind of kindsOf(scene)) {
        figures.push(await held(scene, kind.name, [kind], run.times(1_000, 40)))
      }
      return figures
    })
}

const all: Part = {
  name: "crowd",
  promise:
    "clients that read nothing of all answers at once are cut, and others are served meanwhile",
  run: (run) =>
    within(run, guardsOf(run), async (scene) => {
      const kinds = kindsOf(scene)
      return [
        await held(scene, "all kinds, a thousand of each", kinds, run.times(7_000, 210)),
        await held(scene, "all kinds, as many as there are places", kinds, run.times(10_000, 210))
      ]
    })
}

const trickle: Part = {
  name: "trickle",
  promise: "clients that read a byte now and then are cut",
  run: (run) =>
    within(run, guardsOf(run), async (scene) => {
      const kinds = kindsOf(scene).filter(({ name }) => name !== "a live stream")
      return [
        await held(
          scene,
          "all kinds but streams, a byte every 10 s",
          kinds,
          run.times(1_000, 60),
          ({ take }) => void take(1)
        )
      ]
    })
}

/** Clients of one large answer, without any guard and with one. */
const alone: Part = {
  name: "alone",
  promise: "each guard holds without the others, and without any nothing does",
  run: async (run) => {
    const count = run.times(300, 60)
    const docs = (scene: Scene.Scene) =>
      kindsOf(scene, manyAhead).filter(({ name }) => name === "/openapi.json")
    const control = await within(run, off, async (scene): Promise<Figure> => {
      const beforeMib = scene.rssMib()
      const crowd = await Crowd.gather(scene, docs(scene), count)
      const { goneAfterMs, maxHeld } = await Crowd.watch(
        scene,
        beforeMib,
        run.quick ? 8_000 : 40_000
      )
      crowd.leave()
      return {
        invariant: "edge",
        what: `${count} of /openapi.json without any guard`,
        seen: `${maxHeld} held, ${goneAfterMs === undefined ? "still held in the end" : "gone by themselves"}`,
        holds: goneAfterMs === undefined
      }
    })
    const cut = await within(run, { ...off, ...guardsOf(run) }, (scene) =>
      held(
        scene,
        "/openapi.json, with nothing but the guard against slow readers",
        docs(scene),
        count
      )
    )
    const places = await within(
      run,
      { ...off, connections: {} },
      async (scene): Promise<Figure> => {
        const from = "127.0.1.1"
        const clients = Array.from({ length: 300 }, () =>
          SlowClients.open({ port: scene.port, from }, "")
        )
        await setTimeout(1_500)
        const held = scene.held()
        for (const { close } of clients) close()
        return {
          invariant: "edge",
          what: "300 connections of one address, with nothing but the guard of places",
          seen: `${held} held`,
          holds: held === 256
        }
      }
    )
    return [control, cut, places]
  }
}

/** Those a suite has time for. */
export const crowds: ReadonlyArray<Part> = [all, alone]

export const parts: ReadonlyArray<Part> = [each, ...crowds, trickle]
