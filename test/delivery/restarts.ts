/** The database is restarted and crashed under load: what was committed arrives, and replicas need no help. */
import { setTimeout } from "node:timers/promises"
import { leaseMs } from "../../core/background/holding.ts"
import type { Part } from "../money/part.ts"
import * as Scene from "./scene.ts"
import { holds, told, verdict } from "./verdict.ts"

const paths = Array.from({ length: 8 }, (_, at) => `/ok/${at}`)
const perSecond = 60
const slowestMs = 100

export const part: Part = {
  name: "restarts",
  promise: "a database that is restarted or crashes under load loses no event",
  run: async (run) => {
    const restarts = run.times(10, 2)
    const scene = await Scene.open({ bundle: run.bundle, replicas: 2, slowestMs, durable: true })
    try {
      const load = scene.load(await scene.places(paths), perSecond)
      const awayMs: Array<number> = []
      for (let count = 0; count < restarts; count++) {
        const before = scene.receiver.arrivals.length
        await Scene.until(
          "deliveries arrive",
          60_000,
          () => scene.receiver.arrivals.length > before + 60
        )
        const startedAt = performance.now()
        await scene.database.restart(count % 2 === 0 ? "SIGINT" : "SIGQUIT")
        awayMs.push(performance.now() - startedAt)
      }
      await load.end()
      // What was under way when the database went is due again when its lease ends.
      if (run.quick) await scene.join(leaseMs + 1000)
      await Scene.until(
        "everything is delivered",
        120_000,
        async () => (await scene.records.unfinished()) === 0
      )
      await setTimeout(2 * slowestMs)
      const found = await verdict(scene, load.committed)
      const longest = Math.round(Math.max(...awayMs))
      return [
        {
          invariant: "I7",
          what: `PostgreSQL restarted or crashed ${restarts} times under load, away for at most ${longest} ms`,
          seen: `${told(found)}; ${load.unanswered()} writes failed, and may or may not be among them`,
          holds: holds(found)
        }
      ]
    } finally {
      await scene.close()
    }
  }
}
