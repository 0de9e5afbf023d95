/**
 * A night of the simulator: `npm run simulate:night [turns] [from]` plays seeds of merchants, of merchants on Solana and of traders in turn,
 * ten million turns of the scheduler unless said otherwise. It says which seeds broke a rule, and exits with 1 then.
 */
import { rest, simulate, simulateOnSolana } from "./simulate.ts"
import { simulateTrades } from "./trades/simulate.ts"

const [turnsAsked = "10000000", fromAsked = String(Math.floor(Date.now() / 86_400_000) * 100_000)] =
  process.argv.slice(2)
const turnsMax = Number(turnsAsked)
const from = Number(fromAsked)
if (!(turnsMax > 0) || !Number.isInteger(from)) {
  console.error("Usage: night.ts [turns] [first seed]")
  process.exit(2)
}

const worlds = {
  merchants: (seed: number) => simulate(seed),
  "merchants on Solana": simulateOnSolana,
  traders: simulateTrades
} as const
const sayEvery = 100
const startedAt = performance.now()
let turns = 0
let calls = 0
let crashes = 0
let broken = 0
let seed = from
for (; turns < turnsMax; seed++) {
  for (const [of, play] of Object.entries(worlds)) {
    const outcome = play(seed)
    turns += outcome.turns
    calls += outcome.calls
    crashes += outcome.crashes
    if (outcome.violations.length > 0) {
      broken += 1
      console.log(`${of}, seed ${seed}: ${outcome.violations.join("; ")}`)
    }
    await rest()
  }
  if ((seed - from) % sayEvery === sayEvery - 1)
    console.log(`${seed - from + 1} seeds, ${turns} turns`)
}
const minutes = (performance.now() - startedAt) / 60_000
console.log(
  `${seed - from} seeds from ${from} of each world: ${turns} turns, ${calls} calls, ${crashes} crashes in ${minutes.toFixed(1)} minutes; ${broken} broke a rule.`
)
process.exitCode = broken === 0 ? 0 : 1
