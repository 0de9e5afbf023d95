/**
 * Storms over traders on two chains: no proposal sells twice, no cap is passed and money is in one place, whatever
 * fails; and every mistake of the kinds that reviews have found is caught.
 */
import { assert, describe, it } from "@effect/vitest"
import { rest } from "../simulate.ts"
import { tradeBugs } from "./bugs.ts"
import { type Outcome, simulateTrades } from "./simulate.ts"

const fixedSeeds = 12
const freshSeeds = 3
/** Beginning with one that is known to catch it. */
const seedsForABug = 40
const patienceMs = 240_000

const from = (seed: number, count: number) => Array.from({ length: count }, (_, at) => seed + at)

const outcomes = new Map<number, Outcome>()

/** What a seed came to: played once, as it goes the same way each time. */
const outcomeOf = (seed: number): Outcome => {
  const outcome = outcomes.get(seed) ?? simulateTrades(seed)
  outcomes.set(seed, outcome)
  return outcome
}

const played = async (seeds: ReadonlyArray<number>): Promise<ReadonlyArray<Outcome>> => {
  const all: Array<Outcome> = []
  for (const seed of seeds) {
    all.push(outcomeOf(seed))
    await rest()
  }
  return all
}

const brokenIn = (all: ReadonlyArray<Outcome>): string =>
  all
    .flatMap(({ seed, violations }) => violations.map((rule) => `seed ${seed}: ${rule}`))
    .join("\n")

describe("a simulated storm over traders", () => {
  it("breaks no rule with fixed seeds, and has in it what the rules are about", {
    timeout: patienceMs
  }, async () => {
    const fixed = await played(from(0, fixedSeeds))
    assert.strictEqual(brokenIn(fixed), "")
    const total = (figure: "swaps" | "bridges" | "sends" | "refunds" | "stopped" | "crashes") =>
      fixed.reduce((sum, outcome) => sum + outcome[figure], 0)
    for (const figure of ["swaps", "bridges", "sends", "stopped", "crashes"] as const) {
      assert.isAbove(total(figure), 5, figure)
    }
    assert.isAbove(total("refunds"), 0)
  })

  it("breaks no rule with seeds nobody has seen", { timeout: patienceMs }, async () => {
    const fresh = 1_000_000 + Math.floor(Math.random() * 1_000_000_000)
    assert.strictEqual(brokenIn(await played(from(fresh, freshSeeds))), "")
  })

  it("breaks no rule with seeds that broke one before", { timeout: patienceMs }, async () => {
    // A wallet whose cancellation was given up after it was handed over could send nothing any more.
    // A bridge's opening named the newest block as its evidence, and a fork took that block away.
    assert.strictEqual(brokenIn(await played([700_018, 231_149_067, 2_078_000_006])), "")
  })

  it("goes the same way twice, to the letter", { timeout: patienceMs }, () => {
    const once = outcomeOf(3)
    assert.isAbove(once.turns, 1000)
    assert.deepStrictEqual(simulateTrades(3), once)
    assert.notStrictEqual(once.trace, outcomeOf(4).trace)
  })

  it.each(tradeBugs.map((bug) => [bug.name, bug] as const))(
    "catches: %s",
    { timeout: patienceMs },
    async (_, bug) => {
      let tried = 0
      const isCaught = () => simulateTrades(bug.caughtBy + tried, bug).violations.length > 0
      while (tried < seedsForABug && !isCaught()) {
        tried += 1
        await rest()
      }
      assert.isBelow(tried, seedsForABug)
    }
  )
})
