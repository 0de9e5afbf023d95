/**
 * Replicas are killed one after the other under load while two others go on: nothing that was committed is
 * lost, and no merchant ever has more requests open than it may. What the dead one held is sent by the others
 * when its leases end.
 */
import { setTimeout } from "node:timers/promises"
import { claimMs, leaseMs } from "../../core/background/holding.ts"
import { maxPerEndpoint } from "../../core/webhooks/hold.ts"
import type { Figure, Part, Run } from "../money/part.ts"
import * as Scene from "./scene.ts"
import type { Bug } from "./settings.ts"
import { holds, quantile, told, verdict } from "./verdict.ts"

const replicas = 3
const paths = Array.from({ length: 8 }, (_, at) => `/ok/${at}`)
const perSecond = 60
/** A replica is at some deliveries at every instant. */
const slowestMs = 300

/** Anything later than this waited for the lease of a dead process. */
const waitedMs = leaseMs / 2

interface Asked {
  readonly kills: number
  readonly bug?: Bug
}

/** Waits until the leases of the dead have ended, and what waited for them is delivered. */
const recovered = (scene: Scene.Scene, diedMs: number): Promise<void> =>
  Scene.until(
    "what the dead held is delivered",
    60_000,
    async () => Date.now() - diedMs > claimMs && (await scene.records.overdue()) === 0
  )

/** The time from each death to the next arrival, carried by one of the others. */
const silences = (deathsMs: ReadonlyArray<number>, arrivalsMs: ReadonlyArray<number>) =>
  deathsMs
    .flatMap((atMs) => {
      const next = arrivalsMs.find((arrivedMs) => arrivedMs > atMs)
      return next === undefined ? [] : [next - atMs]
    })
    .toSorted((one, other) => one - other)

export const killing = async ({ bundle, say }: Run, { bug, kills }: Asked) => {
  const scene = await Scene.open({ bundle, replicas, slowestMs, bug })
  try {
    const places = await scene.places(paths)
    const load = scene.load(places, perSecond)
    const deathsMs: Array<number> = []
    for (let death = 0; death < kills; death++) {
      const before = scene.receiver.arrivals.length
      await Scene.until(
        "deliveries arrive",
        60_000,
        () => scene.receiver.arrivals.length > before + 10
      )
      const diedMs = await scene.kill(death % replicas)
      deathsMs.push(diedMs)
      if (death % 2 === 1) await recovered(scene, diedMs)
      if (death % 10 === 9) say(`${death + 1} killed, ${load.committed.length} events committed`)
    }
    await load.end()
    // No replica from later helps here: it would take endpoints from the living, too.
    await Scene.until(
      "everything is delivered",
      120_000,
      async () => (await scene.records.unfinished()) === 0
    )
    // An attempt may still be at a merchant whose row says already that it is done.
    await setTimeout(2 * slowestMs)
    const arrivalsMs = scene.receiver.arrivals.map(({ atMs }) => atMs)
    return {
      ...(await verdict(scene, load.committed)),
      silences: silences(deathsMs, arrivalsMs),
      maxAtOnce: scene.receiver.maxAtOnce()
    }
  } finally {
    await scene.close()
  }
}

export const part: Part = {
  name: "kills",
  promise: "a replica that is killed under load loses no event",
  run: async (run): Promise<ReadonlyArray<Figure>> => {
    const kills = run.times(100, 3)
    const found = await killing(run, { kills })
    const late = found.delaysMs.filter((delay) => delay > waitedMs)
    const spread = (values: ReadonlyArray<number>) =>
      `median ${Math.round(quantile(values, 0.5))} ms, most ${Math.round(values.at(-1) ?? 0)} ms`
    return [
      {
        invariant: "I7",
        what: `a replica killed ${kills} times, two others running`,
        seen: told(found),
        holds: holds(found)
      },
      {
        invariant: "I7",
        what: "requests that one merchant had open at once, counted by the merchants",
        seen: `${found.maxAtOnce} at most`,
        holds: found.maxAtOnce <= maxPerEndpoint
      },
      {
        invariant: "I7",
        what: "from a death to the next arrival, carried by the others",
        seen: spread(found.silences),
        holds: found.silences.length === kills
      },
      ...(run.quick
        ? []
        : [
            {
              invariant: "I7",
              what: "events that waited for a lease of the dead, or a place they held, until they arrived",
              seen: `${late.length} events, ${spread(late)}`,
              // Deaths come in pairs, so that one event may meet two of them.
              holds: (late.at(-1) ?? 0) < 2 * leaseMs
            }
          ])
    ]
  }
}
