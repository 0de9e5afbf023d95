/**
 * The contracts of chains, submitters, signers and venues' quotes say the same of every family: as many tests on the scripted chains,
 * on an EVM chain and on Solana, under the same names, and none that could be passed over.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"

const root = join(import.meta.dirname, "..")

/** By what a suite is called after its world: the worlds that it runs on, one of each family and each kind. */
const suites: Readonly<Record<string, ReadonlyArray<string>>> = {
  "chains, what is seen": ["memory", "anvil", "solana"],
  "chains, reorganisations": ["memory", "anvil", "solana"],
  submitters: ["memory", "memory, Solana", "anvil", "the local Solana"],
  sends: ["memory", "memory, Solana", "anvil", "the local Solana"],
  "what wallets have paid": ["memory", "memory, Solana", "anvil", "the local Solana"],
  "wallet keys": ["memory", "memory, Solana", "seed", "seed, on Solana"],
  "quotes of venues": ["memory", "memory, Solana", "CoW Protocol", "Jupiter"],
  "venues that build": ["memory, Solana", "Jupiter"],
  "swaps by transactions": ["memory, Solana", "the local Solana"],
  signatures: ["memory", "memory, Solana", "evm", "solana"]
}

const contracts = [
  "chains",
  "chain-reorganisations",
  "submitters",
  "sends",
  "made-payments",
  "swap-quotes"
]
const ofSigners = ["wallet-keys", "signatures"]

const files = [
  ...["memory/chains", "evm/contract", "solana/contract"],
  ...["memory", "evm", "solana"].flatMap((place) => [`${place}/sends`, `${place}/signatures`]),
  ...["memory/stores", "keys/seed"],
  ...["memory/swap-venue", "evm/cow/contract", "solana/swap-quotes", "solana/swaps"]
].map((name) => `test/adapters/${name}.test.ts`)

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{
      readonly ancestorTitles: ReadonlyArray<string>
      readonly title: string
    }>
  }>
}

/** Every test of these files by its suite; a name that no test has lets none of them begin. */
const collected = async (): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const folder = mkdtempSync(join(tmpdir(), "bursar-families-"))
  const report = join(folder, "report.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const none = ["-t", "no test has this name", "--reporter=json", `--outputFile=${report}`]
  await promisify(execFile)(process.execPath, [vitest, "run", ...files, ...none], { cwd: root })
  const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"))
  rmSync(folder, { recursive: true, force: true })
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  const bySuite = Map.groupBy(all, ({ ancestorTitles }) => ancestorTitles[0] ?? "")
  return new Map([...bySuite].map(([suite, tests]) => [suite, tests.map(({ title }) => title)]))
}

describe("what holds on every family", { timeout: 300_000 }, () => {
  it("is said by the same tests on each of them", async () => {
    const found = await collected()
    const counts: Record<string, number> = {}
    for (const [suite, worlds] of Object.entries(suites)) {
      const tests = worlds.map((world) => [world, found.get(`${world}: ${suite}`) ?? []] as const)
      const [, first = []] = tests[0] ?? []
      assert.isAbove(first.length, 0, suite)
      for (const [world, titles] of tests) {
        assert.deepStrictEqual(titles.toSorted(), first.toSorted(), `${suite}, on ${world}`)
      }
      counts[suite] = first.length
    }
    console.log(`tests of each family: ${JSON.stringify(counts)}`)
  })

  it("is passed over nowhere", () => {
    for (const name of [...contracts, ...ofSigners]) {
      const text = readFileSync(join(root, `test/contracts/${name}.contract.ts`), "utf8")
      assert.notMatch(text, /\.(?:skip|skipIf|runIf|todo|fails|only)\b/u, name)
    }
  })
})
