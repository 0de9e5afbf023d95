/**
 * Deliveries per second of one core of the sender: claimed, opened, signed, carried and concluded by the
 * workers, against undici that only signs and posts the same bytes to the same sink over as many connections.
 */
import { start } from "./child.ts"
import * as Database from "./database.ts"
import { atLeast, interleaved, type Measurement, quoted, ratio, runAlone } from "./measure.ts"

interface Took {
  readonly seconds: number
  readonly cpuSeconds: number
}

/** Enough that one batch lasts about a second. */
const batches = { raw: 12_000, plain: 6_000, postgres: 1_000 }

const perCpuSecond = (count: number, samples: ReadonlyArray<Took>) =>
  samples.map(({ cpuSeconds }) => count / cpuSeconds)

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  const sink = await start<{ origin: string }>("servers/sink.ts")
  const { origin } = sink.facts
  const raw = await start("servers/sender.ts", "raw", origin)
  const plain = await start("servers/sender.ts", "plain", origin)
  const postgres = await start("servers/sender.ts", "postgres", origin, database.url)
  try {
    const taken = await interleaved({
      raw: async () => (await raw.ask(batches.raw)) as Took,
      plain: async () => (await plain.ask(batches.plain)) as Took,
      postgres: async () => (await postgres.ask(batches.postgres)) as Took
    })
    const undici = perCpuSecond(batches.raw, taken.raw)
    const ours = perCpuSecond(batches.plain, taken.plain)
    const onPostgres = perCpuSecond(batches.postgres, taken.postgres)
    const found = ratio(ours, undici)
    const against = "raw undici, signing and posting the same bytes"
    return {
      file: "deliver.ts",
      figures: [
        {
          what: "deliveries per sender core, without a database",
          against,
          ours: quoted(ours, "/s"),
          theirs: quoted(undici, "/s"),
          ratio: found,
          target: atLeast(0.4, found)
        },
        {
          what: "deliveries per sender core, PostgreSQL",
          against,
          ours: quoted(onPostgres, "/s"),
          theirs: quoted(undici, "/s"),
          ratio: ratio(onPostgres, undici)
        }
      ]
    }
  } finally {
    await Promise.all([sink, raw, plain, postgres].map((each) => each.stop()))
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
