/**
 * GET /api/v1/wallets, a page of twenty: what REST costs over memory stores, against node:http that only writes
 * the same answer, against fastify with a response schema, and against fastify that makes the same checks; as
 * much as each can and at one even rate.
 */
import * as Answer from "./answer.ts"
import { start } from "./child.ts"
import { cpuMicros, open, perCpuSecond, perSecond, type Sample } from "./load.ts"
import {
  atLeast,
  type Figure,
  interleaved,
  type Measurement,
  quoted,
  ratio,
  rounds,
  runAlone
} from "./measure.ts"
import type { Facts } from "./servers/seeding.ts"

type Samples = ReadonlyArray<Sample>

export const figure = (what: string, against: string, ours: Samples, theirs: Samples): Figure => ({
  what,
  against,
  ours: quoted(perSecond(ours), "/s"),
  theirs: quoted(perSecond(theirs), "/s"),
  ratio: ratio(perSecond(ours), perSecond(theirs))
})

export const costs = (what: string, against: string, ours: Samples, theirs: Samples): Figure => ({
  what,
  against,
  ours: quoted(cpuMicros(ours), "µs CPU"),
  theirs: quoted(cpuMicros(theirs), "µs CPU"),
  ratio: ratio(perCpuSecond(ours), perCpuSecond(theirs))
})

export const withTarget = (least: number, line: Figure): Figure => ({
  ...line,
  target: atLeast(least, line.ratio)
})

/** A rate that all can answer, so that what is compared is one answer and not who keeps the load busy. */
const steadyPerSecond = 1_000

export const measure = async (): Promise<Measurement> => {
  const memory = await start<Facts>("servers/bursar.ts", "memory")
  const answer = await Answer.keep(memory.facts)
  const bare = await start<{ origin: string }>("servers/bare-node.ts", answer.file)
  const fastify = await start<{ origin: string }>("servers/fastify.ts", answer.file)
  const { apiKey } = memory.facts
  const checking = await start<{ origin: string }>("servers/fastify.ts", answer.file, apiKey)
  const load = await open()
  const askingOf = ({ origin }: { readonly origin: string }) =>
    Answer.asking({ ...memory.facts, origin })
  try {
    for (const { facts } of [memory, bare, fastify, checking]) await load.warm(askingOf(facts))
    const taken = await interleaved(
      {
        memory: () => load.slice(memory, askingOf(memory.facts)),
        bare: () => load.slice(bare, askingOf(bare.facts)),
        fastify: () => load.slice(fastify, askingOf(fastify.facts)),
        checking: () => load.slice(checking, askingOf(checking.facts)),
        steady: () => load.slice(memory, askingOf(memory.facts), steadyPerSecond),
        steadyFastify: () => load.slice(fastify, askingOf(fastify.facts), steadyPerSecond),
        steadyChecking: () => load.slice(checking, askingOf(checking.facts), steadyPerSecond)
      },
      // Two values of one side at an even rate were a quarter apart.
      rounds + 2
    )
    const what = "GET list, memory stores"
    const perCpu = `${what}, answers per CPU second`
    const steadily = `${perCpu} at ${steadyPerSecond} a second`
    const [schemas, checks] = ["fastify with schemas", "fastify with schemas and the same checks"]
    const same = `bare node:http writing the same ${answer.bytes} bytes`
    return {
      file: "list-wallets.ts",
      figures: [
        figure(what, same, taken.memory, taken.bare),
        costs(perCpu, same, taken.memory, taken.bare),
        figure(what, schemas, taken.memory, taken.fastify),
        withTarget(0.9, costs(perCpu, schemas, taken.memory, taken.fastify)),
        withTarget(0.9, costs(steadily, schemas, taken.steady, taken.steadyFastify)),
        withTarget(1.3, costs(perCpu, checks, taken.memory, taken.checking)),
        withTarget(1.3, costs(steadily, checks, taken.steady, taken.steadyChecking))
      ]
    }
  } finally {
    await Promise.all([memory, bare, fastify, checking, load].map((each) => each.stop()))
    await answer.drop()
  }
}

await runAlone(import.meta.main, measure)
