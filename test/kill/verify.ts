/**
 * `npm run verify:kill`: every point twenty times on both engines, printed as a table. Exit code 0 only
 * if each run died where it was told to and nothing was lost, paid twice or told under two ids.
 */
import * as Child from "./child.ts"
import { type EngineName, engines } from "./scene.ts"
import * as Sweep from "./sweep.ts"

const times = Number(process.argv[2] ?? 20)
const wanted = process.argv[3] || undefined
/** The beginning of the names of the points that are meant; all of them when left out. */
const only = process.argv[4]
const chosen = engines.filter((engine) => wanted === undefined || wanted === engine)
if (!Number.isInteger(times) || times < 1 || chosen.length === 0) {
  console.error(`Usage: verify.ts [runs per point] [${engines.join(" | ")}]`)
  process.exit(2)
}

const entries = [
  ...Sweep.payments,
  ...Sweep.signatures,
  ...Sweep.writes,
  ...Sweep.places,
  ...Sweep.steps,
  ...Sweep.patient
].filter(({ label }) => only === undefined || label.startsWith(only))

const startedAt = performance.now()
const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`

const hear = (tally: Sweep.Tally) => {
  const { engine, label, runs, deaths, held, repeats } = tally
  console.log(`${engine}, ${label}: ${deaths}/${runs} died, ${held} held, ${repeats} again`)
  for (const violation of tally.violations) console.log(`  ${violation}`)
}

const bundle = await Child.bundle()
const sweeps = await Promise.all(
  chosen.map((engine) => Sweep.sweep(engine, bundle, entries, times, hear))
).finally(bundle.remove)

const cellOf = (engine: EngineName, label: string) => {
  const tally = sweeps
    .flatMap(({ tallies }) => tallies)
    .find((each) => each.engine === engine && each.label === label)
  return tally === undefined
    ? ""
    : `${tally.deaths}/${tally.runs} died, ${tally.held} held, ${tally.repeats} again`
}

console.log(`\n| killed | ${chosen.join(" | ")} |\n|---|${chosen.map(() => "---|").join("")}`)
for (const { label } of entries) {
  console.log(`| ${label} | ${chosen.map((engine) => cellOf(engine, label)).join(" | ")} |`)
}

let held = true
for (const { tallies, totals } of sweeps) {
  const sum = (count: (tally: Sweep.Tally) => number) =>
    tallies.reduce((total, tally) => total + count(tally), 0)
  console.log(
    `\n${totals.engine}: ${sum(({ runs }) => runs)} runs at ${tallies.length} points, ` +
      `${sum(({ deaths }) => deaths)} died there, ${sum(({ held }) => held)} held.\n` +
      `  ${totals.paid} requests paid; ${totals.arrivals} deliveries of ${totals.eventIds} events ` +
      `arrived, ${totals.rejected} did not verify, ${totals.wrong} requests were not heard of under one id.`
  )
  held &&= Sweep.allHeld(tallies, totals)
}
console.log(`\n${held ? "All of it held" : "NOT all of it held"}, in ${elapsed()}.`)
process.exitCode = held ? 0 : 1
