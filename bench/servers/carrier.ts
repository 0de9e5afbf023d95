/**
 * A process that carries what waits in the database, from "go" until "rest": by the service's own workers
 * (`ours <url>`), fetched from pg-boss and sent by hand (`boss <url> <origin>`), or by hand all through (`hand <url> <origin>`).
 */
import { Effect, Fiber, ManagedRuntime } from "effect"
import { PgBoss } from "pg-boss"
import { work } from "../../core/treasury/workers.ts"
import * as ByHand from "../by-hand.ts"
import * as ByNotice from "../by-notice.ts"
import { offer } from "../child.ts"
import * as Jobs from "../jobs.ts"
import * as Ports from "../ports.ts"

const [how, url = "", origin = ""] = process.argv.slice(2)

interface Carrier {
  readonly go: () => void
  readonly rest: () => Promise<unknown>
}

const ours = (): Carrier => {
  const runtime = ManagedRuntime.make(Ports.onPostgres(url))
  let working: Fiber.Fiber<unknown, unknown> | undefined
  return {
    go: () => {
      working = runtime.runFork(work())
    },
    rest: async () => working && Effect.runPromise(Fiber.interrupt(working))
  }
}

/** As many at once as sixteen endpoints have places; the whole batch is completed in one statement. */
const batch = 64

/** How often an empty queue is looked at; pg-boss's own workers look every half second at most. */
const lookAgainMs = 10

const pgBoss = async (): Promise<Carrier> => {
  const boss = new PgBoss({ connectionString: url, max: 5 })
  boss.on("error", () => undefined)
  await boss.start()
  const post = ByHand.sender(origin, batch)
  let isWorking = false
  let working = Promise.resolve()
  const carry = async () => {
    while (isWorking) {
      const jobs = await boss.fetch<Jobs.Job>(Jobs.queue, { batchSize: batch })
      await Promise.all(jobs.map(({ data }) => post(data.id, data.body)))
      const ids = jobs.map(({ id }) => id)
      if (ids.length > 0) {
        await boss.getDb().executeSql(Jobs.logAttempts, [ids])
        await boss.complete(Jobs.queue, ids)
      } else await new Promise((resume) => setTimeout(resume, lookAgainMs))
    }
  }
  return {
    go: () => {
      isWorking = true
      working = carry()
    },
    rest: () => {
      isWorking = false
      return working
    }
  }
}

const carriers: Readonly<Record<string, () => Carrier | Promise<Carrier>>> = {
  ours,
  boss: pgBoss,
  hand: () => ByNotice.carrier(url, origin)
}

const carrier = await (carriers[how ?? ""] ?? ours)()

offer("ready", async (question) => {
  if (question === "go") carrier.go()
  else await carrier.rest()
  return "so"
})
