/**
 * `npm run verify:money`: what must hold of sends, on real processes, PostgreSQL and a chain, with every
 * figure in a table. Exit code 0 only if all of it held. Parts may be named, and done less often:
 * `verify.ts --share=0.25 races kills`.
 */
import * as Child from "../kill/child.ts"
import { type Figure, program, type Run, timesOf } from "./part.ts"
import { parts } from "./parts.ts"

const asked = process.argv.slice(2)
const quick = asked.includes("--quick")
const share = Number(asked.find((each) => each.startsWith("--share="))?.slice(8) ?? 1)
const names = asked.filter((each) => !each.startsWith("--"))
const chosen = parts.filter(({ name }) => names.length === 0 || names.includes(name))
if (
  !(share > 0) ||
  chosen.length === 0 ||
  names.some((name) => !parts.some((part) => part.name === name))
) {
  console.error(
    `Usage: verify.ts [--quick | --share=0.25] [${parts.map(({ name }) => name).join(" | ")}]`
  )
  process.exit(2)
}

const startedAt = performance.now()
const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`
const say: Run["say"] = (line) => console.log(`[${elapsed()}] ${line}`)

const figures: Array<Figure> = []
const bundle = await Child.bundle(program)
try {
  for (const { name, run } of chosen) {
    say(name)
    try {
      for (const figure of await run({ bundle, quick, times: timesOf(quick, share), say })) {
        figures.push(figure)
        say(`${figure.holds ? "held" : "BROKEN"}: ${figure.what}: ${figure.seen}`)
      }
    } catch (error) {
      console.error(error)
      figures.push({ invariant: "", what: name, seen: `did not finish: ${error}`, holds: false })
    }
  }
} finally {
  bundle.remove()
}

console.log("\n| invariant | what | seen | |\n| --- | --- | --- | --- |")
for (const { holds, invariant, seen, what } of figures) {
  console.log(`| ${invariant} | ${what} | ${seen} | ${holds ? "held" : "**broken**"} |`)
}
const held = figures.every(({ holds }) => holds)
console.log(`\n${held ? "All of it held" : "NOT all of it held"}, in ${elapsed()}.`)
process.exitCode = held ? 0 : 1
