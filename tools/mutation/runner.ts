/**
 * Runs each test as it is, and then again with each mutant it reaches that still lives. A mutant is dead when the
 * test fails with it and passes again without it. Nothing is loaded anew in between: thousands take minutes, and what
 * a module computes while it loads is judged by a process of its own (`ALONE`).
 */
import { appendFileSync } from "node:fs"
import * as FastCheck from "fast-check"
import { TestRunner } from "vitest"

const alone = process.env.MUTATION_ALONE
const out = process.env.MUTATION_OUT ?? ""
const longestTestMs = 30_000
/** A loop that has become endless is cut off where the switch counts its turns. */
const turnsMin = 20_000
const timesMore = 200
/** A test with a deadline may miss it on a busy machine. */
const triesAsItIs = 3

const switches = {
  activeMutant: alone ?? "none",
  currentTestId: undefined as string | undefined,
  hitCount: undefined as number | undefined,
  hitLimit: undefined as number | undefined,
  mutantCoverage: { static: {}, perTest: {} as Record<string, Record<string, number>> }
}
// Instrumented code looks for its switches under this name.
Object.assign(globalThis, { __stryker__: switches })
if (alone !== undefined) Object.assign(switches, { hitCount: 0, hitLimit: 2_000_000 })

FastCheck.configureGlobal({ endOnFailure: true, seed: 1 })

const tell = (line: object) => appendFileSync(`${out}/verdicts.jsonl`, `${JSON.stringify(line)}\n`)
const dead = new Set<string>()

const failureOf = async (run: () => unknown): Promise<string | undefined> => {
  try {
    await run()
    return undefined
  } catch (error) {
    return String(error instanceof Error ? error.message : error).slice(0, 160)
  }
}

/** Runs it without any mutant; what it reached, and how it failed if it did. */
const plainly = async (run: () => unknown) => {
  Object.assign(switches, { activeMutant: "none", hitCount: undefined, currentTestId: "this" })
  const failure = await failureOf(run)
  const reached = switches.mutantCoverage.perTest.this ?? {}
  delete switches.mutantCoverage.perTest.this
  switches.currentTestId = undefined
  return { failure, reached }
}

export default class MutatingRunner extends TestRunner {
  async runTask(test) {
    const run = TestRunner.getTestFn(test)
    if (alone !== undefined) return run()
    let first = await plainly(run)
    for (let turn = 1; first.failure !== undefined && turn < triesAsItIs; turn++) {
      first = await plainly(run)
    }
    if (first.failure !== undefined) throw new Error(first.failure)
    const living = Object.keys(first.reached).filter((id) => !dead.has(id))
    if (living.length === 0) return
    const name = `${test.file.name} > ${test.name}`
    tell({ reached: living })
    const second = await plainly(run)
    // It cannot be run twice in one process.
    if (second.failure !== undefined) return
    const endsAt = performance.now() + longestTestMs
    for (const id of living) {
      if (second.reached[id] === undefined || performance.now() > endsAt) continue
      const hitLimit = Math.max(turnsMin, second.reached[id] * timesMore)
      Object.assign(switches, { activeMutant: id, hitCount: 0, hitLimit })
      const failure = await failureOf(run)
      if (failure === undefined) {
        tell({ survived: id, test: name })
        continue
      }
      dead.add(id)
      tell({ dead: id, test: name, failure })
      // What the mutant left behind may have spoilt the test.
      if ((await plainly(run)).failure !== undefined) break
    }
    Object.assign(switches, { activeMutant: "none", hitCount: undefined })
  }

  onAfterRunFiles() {
    tell({ loaded: Object.keys(switches.mutantCoverage.static) })
    super.onAfterRunFiles?.()
  }
}
