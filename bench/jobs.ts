/** The same deliveries as jobs of pg-boss, for it to be compared with. */
import { PgBoss } from "pg-boss"
import * as Queue from "./queue.ts"

export interface Job {
  readonly id: string
  readonly body: string
}

export const queue = "deliveries"

/** Opens a queue to put jobs in, and to see how many are left. */
export const open = async (url: string) => {
  const boss = new PgBoss({ connectionString: url, max: 2, supervise: false, schedule: false })
  // It complains of the database that is stopped under it at the end.
  boss.on("error", () => undefined)
  await boss.start()
  await boss.createQueue(queue)
  let piles = 0
  return {
    /** Puts in so many at once. */
    pile: async (count: number) => {
      piles += 1
      const jobs = Array.from({ length: count }, (_, at) => {
        const id = `evt_${piles}_${at}`
        return { data: { id, body: Queue.bodyOf(id) } }
      })
      await boss.insert(queue, jobs)
    },
    close: () => boss.stop({ graceful: false })
  }
}
