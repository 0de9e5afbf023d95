/**
 * The simulator at work: `npm run simulate [seeds] [from]` plays seeds on the core as it is, of merchants, of merchants
 * on Solana and of traders, and then with each planted bug until a few seeds caught it. It exits with 1 when a seed
 * broke a rule, two runs of one seed took different ways, or no seed caught a bug.
 */
import type { Bug } from "./bugs/bug.ts"
import { bugs } from "./bugs/planted.ts"
import { type Outcome, rest, simulate, simulateOnSolana } from "./simulate.ts"
import { bugsOnSolana } from "./solana/bugs.ts"
import { tradeBugs } from "./trades/bugs.ts"
import * as Trades from "./trades/simulate.ts"

const [seedsAsked = "200", fromAsked = "0", only] = process.argv.slice(2)
const seeds = Number(seedsAsked)
const from = Number(fromAsked)

const say = (line: string) => process.stdout.write(`${line}\n`)

interface Played {
  readonly seed: number
  readonly violations: ReadonlyArray<string>
  readonly trace: string
}

/** One sort of world: how a seed of it is played, what is counted in it, and what is planted in it. */
interface World<Of extends Played> {
  readonly of: string
  readonly simulate: (seed: number, bug?: Bug) => Of
  readonly figures: ReadonlyArray<
    {
      [Figure in keyof Of]: Of[Figure] extends number ? Figure : never
    }[keyof Of]
  >
  readonly bugs: ReadonlyArray<Bug>
}

const merchants: World<Outcome> = {
  of: "merchants",
  simulate,
  figures: [
    "turns",
    "calls",
    "faults",
    "crashes",
    "requests",
    "paid",
    "transfers",
    "settled",
    "failed",
    "events",
    "arrivals",
    "duplicates"
  ],
  bugs
}

const onSolana: World<Outcome> = {
  of: "merchants on Solana",
  simulate: simulateOnSolana,
  figures: [...merchants.figures, "sent"],
  bugs: bugsOnSolana
}

const traders: World<Trades.Outcome> = {
  of: "traders",
  simulate: Trades.simulateTrades,
  figures: [
    "turns",
    "calls",
    "faults",
    "crashes",
    "proposals",
    "swaps",
    "bridges",
    "sends",
    "approvals",
    "refunds",
    "notExecuted",
    "stopped",
    "orders",
    "waits"
  ],
  bugs: tradeBugs
}

const play = async <Of extends Played>(world: World<Of>): Promise<ReadonlyArray<Of>> => {
  const outcomes: Array<Of> = []
  for (let seed = from; seed < from + seeds; seed++) {
    outcomes.push(world.simulate(seed))
    await rest()
  }
  return outcomes
}

/** So many seeds show that a bug is caught; more would only take longer. */
const enough = 5

const hunt = async <Of extends Played>(world: World<Of>, bug: Bug) => {
  const caught: Array<Of> = []
  let seed = from
  for (; seed < from + seeds && caught.length < enough; seed++) {
    const outcome = world.simulate(seed, bug)
    if (outcome.violations.length > 0) caught.push(outcome)
    await rest()
  }
  return { caught, played: seed - from }
}

/** What most of the seeds that broke a rule broke first. */
const mostly = (caught: ReadonlyArray<Played>) => {
  const byRule = Map.groupBy(caught, ({ violations }) => violations[0] ?? "")
  const [first] = [...byRule].sort(([, some], [, others]) => others.length - some.length)
  return first?.[0] ?? "nothing"
}

const clean = async <Of extends Played>(world: World<Of>): Promise<boolean> => {
  const startedAt = performance.now()
  const outcomes = await play(world)
  const seconds = (performance.now() - startedAt) / 1000
  say(`${world.of}: ${seeds} seeds from ${from} in ${seconds.toFixed(1)} s`)
  for (const figure of world.figures) {
    say(
      `  ${String(figure)}: ${outcomes.reduce((total, outcome) => total + Number(outcome[figure]), 0)}`
    )
  }
  const broken = outcomes.filter(({ violations }) => violations.length > 0)
  say(`  seeds with a violation: ${broken.length}`)
  for (const { seed, violations } of broken) say(`  seed ${seed}: ${violations[0]}`)
  const replayed = (seed: number) => {
    const [once, again] = [world.simulate(seed), world.simulate(seed)]
    return once.trace === again.trace && JSON.stringify(once) === JSON.stringify(again)
  }
  const isReplayed = replayed(from) && replayed(from + seeds - 1)
  say(`  the same seed, the same trace: ${isReplayed ? "yes" : "NO"}`)
  return broken.length === 0 && isReplayed
}

/** Plays a sort of world clean, and then with each of its bugs; false when the clean one broke a rule, or a bug none. */
const whole = async <Of extends Played>(world: World<Of>): Promise<boolean> => {
  let holds = only === undefined ? await clean(world) : true
  for (const bug of world.bugs.filter(({ name }) => only === undefined || name.includes(only))) {
    const { caught, played } = await hunt(world, bug)
    holds &&= caught.length > 0
    const first = caught[0]?.seed ?? "none"
    say(
      `${bug.name}: caught by ${caught.length} of ${played} seeds, first ${first}; mostly "${mostly(caught)}"`
    )
  }
  return holds
}

const held = [await whole(merchants), await whole(onSolana), await whole(traders)]
process.exitCode = held.every(Boolean) ? 0 : 1
