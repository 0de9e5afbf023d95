/**
 * Attempts that last as long as an attempt may, two claims over, on two replicas: the one that is at it keeps
 * what it holds, and the other leaves it alone.
 */
import { claimMs } from "../../core/background/holding.ts"
import type { Part } from "../money/part.ts"
import * as Scene from "./scene.ts"

const endpoints = 4
/** As many as an endpoint has places, so that all begin at once. */
const eventsEach = 4

export const part: Part = {
  name: "slow",
  promise: "an attempt that outlasts its claim is made once",
  run: async (run) => {
    const rounds = run.times(3, 1)
    const scene = await Scene.open({ bundle: run.bundle, replicas: 2 })
    try {
      let twice = 0
      let attempts = 0
      for (let round = 0; round < rounds; round++) {
        const paths = Array.from({ length: endpoints }, (_, at) => `/hang/${round}/${at}`)
        const places = await scene.places(paths)
        const before = scene.receiver.arrivals.length
        await scene.emit(places, eventsEach)
        attempts += endpoints * eventsEach
        await Scene.until("every attempt has ended", 60_000, async () => {
          return (await scene.records.attempts()) === attempts
        })
        const arrivals = scene.receiver.arrivals.slice(before)
        twice += arrivals.length - new Set(arrivals.map(({ eventId }) => eventId)).size
        for (const place of places) await scene.remove(place)
      }
      return [
        {
          invariant: "I7",
          what: `${attempts} attempts at merchants who never answer, each longer than the ${claimMs / 1000} s of its claim`,
          seen: `${twice} made a second time`,
          holds: twice === 0
        }
      ]
    } finally {
      await scene.close()
    }
  }
}
