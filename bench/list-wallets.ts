/**
 * GET /api/v1/wallets, a page of twenty: what REST costs over memory stores, against node:http that only
 * writes the same answer and against fastify with a response schema; and the same on PostgreSQL.
 */
import * as Answer from "./answer.ts"
import { start } from "./child.ts"
import * as Database from "./database.ts"
import { cpuMicros, open, perCpuSecond, perSecond, type Sample } from "./load.ts"
import {
  atLeast,
  type Figure,
  interleaved,
  type Measurement,
  quoted,
  ratio,
  runAlone
} from "./measure.ts"
import type { Facts } from "./servers/seeding.ts"

type Samples = ReadonlyArray<Sample>

const figure = (what: string, against: string, ours: Samples, theirs: Samples): Figure => ({
  what,
  against,
  ours: quoted(perSecond(ours), "/s"),
  theirs: quoted(perSecond(theirs), "/s"),
  ratio: ratio(perSecond(ours), perSecond(theirs))
})

const costs = (what: string, against: string, ours: Samples, theirs: Samples): Figure => ({
  what,
  against,
  ours: quoted(cpuMicros(ours), "µs CPU"),
  theirs: quoted(cpuMicros(theirs), "µs CPU"),
  ratio: ratio(perCpuSecond(ours), perCpuSecond(theirs))
})

const withTarget = (least: number, line: Figure): Figure => ({
  ...line,
  target: atLeast(least, line.ratio)
})

export const measure = async (): Promise<Measurement> => {
  const memory = await start<Facts>("servers/bursar.ts", "memory")
  const answer = await Answer.keep(memory.facts)
  const bare = await start<{ origin: string }>("servers/bare-node.ts", answer.file)
  const fastify = await start<{ origin: string }>("servers/fastify.ts", answer.file)
  const database = await Database.open()
  const postgres = await start<Facts>("servers/bursar.ts", "postgres", database.url)
  const load = await open()
  try {
    await load.warm(Answer.asking(memory.facts))
    await load.warm(Answer.asking(postgres.facts))
    const { bare: node, ...taken } = await interleaved({
      memory: () => load.slice(memory, Answer.asking(memory.facts)),
      bare: () => load.slice(bare, { url: bare.facts.origin + Answer.listPath }),
      fastify: () => load.slice(fastify, { url: fastify.facts.origin + Answer.listPath }),
      postgres: () => load.slice(postgres, Answer.asking(postgres.facts))
    })
    const same = `bare node:http writing the same ${answer.bytes} bytes`
    return {
      file: "list-wallets.ts",
      figures: [
        withTarget(0.6, figure("GET list, memory stores", same, taken.memory, node)),
        costs("GET list, memory stores, answers per CPU second", same, taken.memory, node),
        figure("GET list, memory stores", "fastify with schemas", taken.memory, taken.fastify),
        costs(
          "GET list, memory stores, answers per CPU second",
          "fastify with schemas",
          taken.memory,
          taken.fastify
        ),
        figure("GET list, PostgreSQL", same, taken.postgres, node)
      ]
    }
  } finally {
    await Promise.all([memory, bare, fastify, postgres, load].map((each) => each.stop()))
    await Promise.all([database.stop(), answer.drop()])
  }
}

await runAlone(import.meta.main, measure)
