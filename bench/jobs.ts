/**
 * The same deliveries as jobs of pg-boss, for it to be compared with, and a log of their attempts as ours:
 * written by the batch, in one statement, before the jobs are completed.
 */
import { PgBoss } from "pg-boss"
import * as Queue from "./queue.ts"

export interface Job {
  readonly id: string
  readonly body: string
}

export const queue = "deliveries"

export const createLog = `create table if not exists job_attempt (
  job_id uuid not null, n integer not null, at timestamptz not null, trigger text not null,
  duration_ms integer not null, response_status integer, response_body_truncated text, error text,
  primary key (job_id, n))`

/** For one array of ids. */
export const logAttempts = `insert into job_attempt
  select id, 1, now(), 'scheduled', 3, 200, 'ok', null from unnest($1::uuid[]) as id`

/** Opens a queue to put jobs in, and to see how many are left. */
export const open = async (url: string) => {
  const boss = new PgBoss({ connectionString: url, max: 2, supervise: false, schedule: false })
  // It complains of the database that is stopped under it at the end.
  boss.on("error", () => undefined)
  await boss.start()
  await boss.createQueue(queue)
  await boss.getDb().executeSql(createLog)
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
