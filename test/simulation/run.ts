/**
 * The simulator at work: `npm run simulate [seeds] [from]` plays seeds on the core as it is, and then with
 * each planted bug, and says what it took and what it caught. It exits with 1 when a seed broke a rule,
 * or two runs of one seed took different ways.
 */
import { bugs } from "./bugs/planted.ts"
import { type Outcome, rest, simulate } from "./simulate.ts"

const [seedsAsked = "200", fromAsked = "0", only] = process.argv.slice(2)
const seeds = Number(seedsAsked)
const from = Number(fromAsked)

const say = (line: string) => process.stdout.write(`${line}\n`)

const play = async (bug?: (typeof bugs)[number]): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  for (let seed = from; seed < from + seeds; seed++) {
    outcomes.push(simulate(seed, bug))
    await rest()
  }
  return outcomes
}

const figures = [
  "turns",
  "calls",
  "faults",
  "crashes",
  "requests",
  "paid",
  "transfers",
  "settled",
  "failed"
] as const
const more = ["events", "arrivals", "duplicates"] as const

/** What most of the seeds that broke a rule broke first. */
const mostly = (caught: ReadonlyArray<Outcome>) => {
  const byRule = Map.groupBy(caught, ({ violations }) => violations[0] ?? "")
  const [first] = [...byRule].sort(([, some], [, others]) => others.length - some.length)
  return first?.[0] ?? "nothing"
}

const replayed = (seed: number) => {
  const [once, again] = [simulate(seed), simulate(seed)]
  return once.trace === again.trace && JSON.stringify(once) === JSON.stringify(again)
}

const clean = async (): Promise<boolean> => {
  const startedAt = performance.now()
  const outcomes = await play()
  const seconds = (performance.now() - startedAt) / 1000
  say(`${seeds} seeds from ${from} in ${seconds.toFixed(1)} s`)
  for (const figure of [...figures, ...more]) {
    say(`  ${figure}: ${outcomes.reduce((total, outcome) => total + outcome[figure], 0)}`)
  }
  const broken = outcomes.filter(({ violations }) => violations.length > 0)
  say(`  seeds with a violation: ${broken.length}`)
  for (const { seed, violations } of broken) say(`  seed ${seed}: ${violations[0]}`)
  const isReplayed = replayed(from) && replayed(from + seeds - 1)
  say(`  the same seed, the same trace: ${isReplayed ? "yes" : "NO"}`)
  return broken.length === 0 && isReplayed
}

const isClean = only === undefined ? await clean() : true
for (const bug of bugs.filter(({ name }) => only === undefined || name.includes(only))) {
  const caught = (await play(bug)).filter(({ violations }) => violations.length > 0)
  say(`${bug.name}: caught by ${caught.length} of ${seeds} seeds; mostly "${mostly(caught)}"`)
}
process.exitCode = isClean ? 0 : 1
