/** Twenty merchants hear as early beside one who never answers as they do without. */
import { setTimeout } from "node:timers/promises"
import type { Part } from "../money/part.ts"
import * as Scene from "./scene.ts"
import { quantile } from "./verdict.ts"

const healthy = 20
const healthyPerSecond = 100
const hangingPerSecond = 20

/** The noise of a machine that does other work too, in milliseconds. */
const noiseMs = 100

export const part: Part = {
  name: "isolation",
  promise: "an endpoint that hangs delays no other",
  run: async (run) => {
    const seconds = run.times(15, 3)
    const rounds = run.times(4, 2)
    const scene = await Scene.open({ bundle: run.bundle, replicas: 1 })
    const slice = async (round: number, hangs: boolean) => {
      const name = `${round}-${hangs ? "beside" : "alone"}`
      const paths = Array.from({ length: healthy }, (_, at) => `/ok/${name}/${at}`)
      const places = await scene.places(paths)
      const hanging = hangs ? await scene.places([`/hang/${name}`]) : []
      const burden = hangs ? scene.load(hanging, hangingPerSecond) : undefined
      const load = scene.load(places, healthyPerSecond)
      await setTimeout(seconds * 1000)
      await Promise.all([load.end(), burden?.end()])
      const urls = new Set(places.map(({ url }) => url))
      const arrived = () => scene.receiver.arrivals.filter(({ url }) => urls.has(url))
      await Scene.until("the healthy hear", 30_000, () => arrived().length >= load.committed.length)
      for (const place of hanging) await scene.remove(place)
      const atMs = new Map(load.committed.map((each) => [each.eventId, each.atMs]))
      const delays = arrived()
        .map((each) => Math.max(0, each.atMs - (atMs.get(each.eventId) ?? Number.NaN)))
        .toSorted((one, other) => one - other)
      return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), count: delays.length }
    }
    try {
      const alone: Array<Awaited<ReturnType<typeof slice>>> = []
      const beside: typeof alone = []
      for (let round = 0; round < rounds; round++) {
        const [one, other] = [await slice(round, false), await slice(round, true)]
        // The first round only warms up.
        if (round === 0) continue
        alone.push(one)
        beside.push(other)
      }
      const middle = (values: ReadonlyArray<number>) =>
        quantile(
          values.toSorted((one, other) => one - other),
          0.5
        )
      const [p99Alone, p99Beside] = [alone, beside].map((all) => middle(all.map(({ p99 }) => p99)))
      const [p50Alone, p50Beside] = [alone, beside].map((all) => middle(all.map(({ p50 }) => p50)))
      const ratio = Number(p99Beside) / Math.max(1, Number(p99Alone))
      const count = beside.reduce((sum, each) => sum + each.count, 0)
      return [
        {
          invariant: "isolation",
          what: `${healthy} healthy endpoints at ${healthyPerSecond}/s beside one that hangs, ${count} deliveries`,
          seen: `p99 ${p99Beside} ms beside, ${p99Alone} ms alone (${ratio.toFixed(2)}); p50 ${p50Beside} and ${p50Alone} ms`,
          holds: Number(p99Beside) <= 1.5 * Number(p99Alone) + noiseMs
        }
      ]
    } finally {
      await scene.close()
    }
  }
}
