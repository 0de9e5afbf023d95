/**
 * Storms over a treasury on the scripted Solana: deposits, payments by signature and sends, with forks, lost and late
 * answers, and deaths. No seed may break a rule, and every planted bug is caught.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Bug } from "../bugs/bug.ts"
import { rest, simulateOnSolana } from "../simulate.ts"
import { bugsOnSolana } from "./bugs.ts"

const fixedSeeds = 40
const seedsForABug = 20
const patienceMs = 300_000

const firstToCatch = async (bug: Bug): Promise<number | undefined> => {
  for (let seed = 0; seed < seedsForABug; seed++) {
    if (simulateOnSolana(seed, bug).violations.length > 0) return seed
    await rest()
  }
  return undefined
}

describe("a simulated storm on Solana", () => {
  it("breaks no rule with any of the fixed seeds", { timeout: patienceMs }, async () => {
    const broken: Array<string> = []
    const total = { faults: 0, crashes: 0, paid: 0, settled: 0, sent: 0 }
    for (let seed = 0; seed < fixedSeeds; seed++) {
      const outcome = simulateOnSolana(seed)
      for (const rule of outcome.violations) broken.push(`seed ${seed}: ${rule}`)
      for (const figure of Object.keys(total) as ReadonlyArray<keyof typeof total>) {
        total[figure] += outcome[figure]
      }
      await rest()
    }
    assert.strictEqual(broken.join("\n"), "")
    // It has in it what the rules are about.
    for (const [figure, count] of Object.entries(total)) assert.isAbove(count, 20, figure)
  })

  it("goes the same way twice, to the letter", { timeout: patienceMs }, () => {
    const once = simulateOnSolana(3)
    assert.isAbove(once.turns, 1000)
    assert.deepStrictEqual(simulateOnSolana(3), once)
  })

  it.each(bugsOnSolana.map((bug) => [bug.name, bug] as const))(
    "catches: %s",
    { timeout: patienceMs },
    async (_, bug) => {
      assert.isDefined(await firstToCatch(bug))
    }
  )
})
