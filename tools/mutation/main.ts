/**
 * `npm run mutate [area | all] [minutes]`: changes the code of an area in every way there is, asks its tests which they
 * notice, and prints a score for each module and every mutant that lived. So many minutes at most go to mutants that
 * need a process of their own. It exits with 1 when an area is below its bar; what was not judged counts as alive there.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { areas, barPercent } from "./areas.ts"
import { equivalent } from "./equivalent.ts"
import type { Mutant } from "./instrument.ts"

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
const [wanted = "all", minutes = "60"] = process.argv.slice(2)
const chosen = Object.keys(areas).filter((name) => wanted === "all" || wanted === name)
if (chosen.length === 0) {
  console.error(`Usage: npm run mutate [all | ${Object.keys(areas).join(" | ")}] [minutes]`)
  process.exit(2)
}

const vitest = (area: string, out: string, alone?: string) =>
  spawnSync(
    process.execPath,
    [`${root}/node_modules/vitest/vitest.mjs`, "run", "--config", `${here}/vitest.config.ts`],
    {
      cwd: root,
      encoding: "utf8",
      timeout: alone === undefined ? undefined : 120_000,
      env: {
        ...process.env,
        MUTATION_AREA: area,
        MUTATION_OUT: out,
        ...(alone === undefined ? {} : { MUTATION_ALONE: alone })
      }
    }
  )

interface Judged extends Mutant {
  readonly verdict: "dead" | "survived" | "not judged" | "reached by no test" | "equivalent"
}

const isEquivalent = ({ after, before, module }: Mutant) =>
  equivalent.some(
    (each) => each.module === module && each.before === before && each.after === after
  )

const read = (file: string) =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []

/** Judges in a process of their own what is computed while modules load. */
const judgeAlone = (area: string, out: string, mutants: ReadonlyArray<Mutant>) => {
  const deaths = new Map<string, boolean>()
  const endsAt = Date.now() + Number(minutes) * 60_000
  if (mutants.length === 0 || Number(minutes) <= 0) return deaths
  const { status } = vitest(area, out, "none")
  // Where the tests as they are take too long, none is judged.
  if (status === null) return deaths
  if (status !== 0) throw new Error(`The tests of ${area} fail as they are.`)
  for (const { id } of mutants) {
    if (Date.now() > endsAt) break
    const { status } = vitest(area, out, id)
    // One that took too long is not judged: it may have been the machine.
    if (status !== null) deaths.set(id, status !== 0)
  }
  return deaths
}

const judge = (area: string): ReadonlyArray<Judged> => {
  const out = `${root}/dist/mutation/${area}`
  rmSync(out, { recursive: true, force: true })
  const run = vitest(area, out)
  const lines = read(`${out}/verdicts.jsonl`)
  if (run.status !== 0 || lines.length === 0) {
    throw new Error(`The tests of ${area} fail as they are:\n${run.stdout}\n${run.stderr}`)
  }
  const all: ReadonlyArray<Mutant> = JSON.parse(readFileSync(`${out}/mutants.json`, "utf8"))
  const dead = new Set(lines.flatMap((line) => line.dead ?? []))
  const survived = new Set(lines.flatMap((line) => line.survived ?? []))
  const reached = new Set(lines.flatMap((line) => line.reached ?? []))
  const loaded = new Set(lines.flatMap((line) => line.loaded ?? []))
  const tried = all.filter(({ ignored }) => ignored === undefined)
  const alone = tried.filter(
    ({ id }) => !dead.has(id) && !survived.has(id) && (loaded.has(id) || reached.has(id))
  )
  const deaths = judgeAlone(
    area,
    out,
    alone.filter((each) => !isEquivalent(each))
  )
  return tried.map((mutant) => {
    const { id } = mutant
    const verdict = (): Judged["verdict"] => {
      if (dead.has(id) || deaths.get(id) === true) return "dead"
      if (isEquivalent(mutant)) return "equivalent"
      if (survived.has(id) || deaths.get(id) === false) return "survived"
      return loaded.has(id) || reached.has(id) ? "not judged" : "reached by no test"
    }
    return { ...mutant, verdict: verdict() }
  })
}

const scoreOf = (judged: ReadonlyArray<Judged>) => {
  const count = (verdict: Judged["verdict"]) =>
    judged.filter((each) => each.verdict === verdict).length
  const [dead, alive] = [count("dead"), count("survived") + count("reached by no test")]
  const open = count("not judged")
  const percentOf = (all: number) => (all === 0 ? 100 : (100 * dead) / all)
  return {
    dead,
    alive,
    open,
    equivalent: count("equivalent"),
    percent: percentOf(dead + alive),
    leastPercent: percentOf(dead + alive + open)
  }
}

const say = (name: string, judged: ReadonlyArray<Judged>) => {
  const { alive, dead, equivalent: same, leastPercent, open, percent } = scoreOf(judged)
  const least = open === 0 ? "" : `, ${leastPercent.toFixed(1)} at least`
  console.log(
    `${name.padEnd(46)} ${dead} dead, ${alive} alive, ${same} equivalent, ${open} not judged: ${percent.toFixed(1)} %${least}`
  )
}

let isAboveBar = true
for (const area of chosen) {
  const startedAt = performance.now()
  const judged = judge(area)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`\n## ${area}, ${judged.length} mutants in ${seconds} s`)
  for (const [module, of] of Map.groupBy(judged, (each) => each.module)) say(module, of)
  say(`all of ${area}`, judged)
  for (const { after, before, line, module, verdict } of judged) {
    if (verdict === "dead" || verdict === "equivalent") continue
    console.log(`  ${verdict}: ${module}:${line} ${before.slice(0, 90)} -> ${after.slice(0, 70)}`)
  }
  isAboveBar &&= scoreOf(judged).leastPercent >= (areas[area]?.barPercent ?? barPercent)
}
process.exitCode = isAboveBar ? 0 : 1
