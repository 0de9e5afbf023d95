/**
 * What giving audit entries their places costs PostgreSQL, of all that a write costs it: payment requests are opened as
 * many at once as the load does, then what waits is placed as the worker does. CPU is that of the server's processes.
 */
import { Effect, type Layer } from "effect"
import { authenticate } from "../core/accounts/authenticate.ts"
import { sequence } from "../core/audit/sequence.ts"
import { callsOf, type Needs } from "../core/treasury/treasury.ts"
import * as Database from "./database.ts"
import { atMost, interleaved, type Measurement, quoted, ratio, runAlone } from "./measure.ts"
import * as Ports from "./ports.ts"
import { seedAccounts } from "./servers/seeding.ts"

/** About what a busy second brings. */
const writes = 1000

/**
 * So many busy seconds are one sample. The places of one take ten milliseconds of CPU, which is what a session of the
 * database spends on placing for the first time, or one round of its vacuum.
 */
const seconds = 5

const callersAtOnce = 32

/** Microseconds of PostgreSQL's CPU for each write, and for each place. */
interface Sample {
  readonly placing: number
  readonly writing: number
}

type Provided = Needs | Effect.Services<typeof seedAccounts | ReturnType<typeof authenticate>>

const samples = Effect.fnUntraced(function* (cpuSeconds: () => number) {
  const { apiKey, vaultId } = yield* seedAccounts
  const caller = yield* authenticate(apiKey)
  const { create_payment_request } = callsOf(caller)
  const write = create_payment_request({ walletMappingId: vaultId, amountUsd: 49 })
  const microsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const before = cpuSeconds()
      return Effect.map(work, () => ((cpuSeconds() - before) / (writes * seconds)) * 1e6)
    })
  const all = Effect.forEach(Array.from({ length: writes }), () => write, {
    concurrency: callersAtOnce,
    discard: true
  })
  const run = Effect.runPromiseWith(yield* Effect.context<Provided>())
  const sample = async (): Promise<Sample> => {
    let [writing, placing] = [0, 0]
    for (let second = 0; second < seconds; second++) {
      writing += await run(microsOf(all))
      placing += await run(microsOf(sequence(caller.accountId)))
    }
    return { writing, placing }
  }
  return (yield* Effect.promise(() => interleaved({ sample }))).sample
})

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  try {
    const ports = Ports.onPostgres(database.url) as Layer.Layer<Provided>
    const taken = await Effect.runPromise(Effect.provide(samples(database.cpuSeconds), ports))
    const placing = taken.map((each) => each.placing)
    const whole = taken.map((each) => each.placing + each.writing)
    const found = ratio(placing, whole)
    return {
      file: "place-entries.ts",
      figures: [
        {
          what: "placing an audit entry, CPU of PostgreSQL",
          against: "all that opening a payment request costs PostgreSQL, the placing too",
          ours: quoted(placing, "µs CPU"),
          theirs: quoted(whole, "µs CPU"),
          ratio: found,
          target: atMost(0.15, found)
        }
      ]
    }
  } finally {
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
