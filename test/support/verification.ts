/**
 * A verification at full size, from the command line: runs the parts that were named, says what each came to,
 * and prints every figure in a table. Exit code 0 only if all of it held.
 */
import { parseArgs } from "node:util"
import * as Child from "../kill/child.ts"
import { type Figure, type Part, timesOf } from "../money/part.ts"

const asked = (parts: ReadonlyArray<Part>) => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { share: { type: "string", default: "1" }, quick: { type: "boolean", default: false } }
  })
  const share = Number(values.share)
  const known = parts.map(({ name }) => name)
  if (!(share > 0) || positionals.some((name) => !known.includes(name))) {
    console.error(`Usage: verify.ts [--quick | --share=0.1] [${known.join(" | ")}]`)
    process.exit(2)
  }
  const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  return { chosen, quick: values.quick, share }
}

const printed = (figures: ReadonlyArray<Figure>) => {
  console.log("\n| invariant | what | seen | |\n| --- | --- | --- | --- |")
  for (const { holds, invariant, seen, what } of figures) {
    console.log(`| ${invariant} | ${what} | ${seen} | ${holds ? "held" : "**broken**"} |`)
  }
}

/** Runs what the command line asks for, before processes of one program. */
export const verify = async (parts: ReadonlyArray<Part>, program: string): Promise<void> => {
  const { chosen, quick, share } = asked(parts)
  const startedAt = performance.now()
  const elapsed = () => `${((performance.now() - startedAt) / 1000).toFixed(0)} s`
  const say = (line: string) => console.log(`[${elapsed()}] ${line}`)
  const figures: Array<Figure> = []
  const bundle = await Child.bundle(program)
  const run = { bundle, quick, times: timesOf(quick, share), say }
  for (const part of chosen) {
    say(part.name)
    const found = await part.run(run).catch((error): ReadonlyArray<Figure> => {
      console.error(error)
      return [{ invariant: "", what: part.name, seen: `did not finish: ${error}`, holds: false }]
    })
    figures.push(...found)
    for (const { holds, seen, what } of found) say(`${holds ? "held" : "BROKEN"}: ${what}: ${seen}`)
  }
  bundle.remove()
  printed(figures)
  const held = figures.length > 0 && figures.every(({ holds }) => holds)
  console.log(`\n${held ? "All of it held" : "NOT all of it held"}, in ${elapsed()}.`)
  process.exitCode = held ? 0 : 1
}
