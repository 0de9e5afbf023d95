/** Every test file is run by exactly one lane, as vitest itself reads them, and `npm test` names none of the heavy ones. */
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { isHeavy, lanes, longest } from "./lanes.ts"

const root = join(import.meta.dirname, "..")

interface Found {
  readonly file: string
  readonly projectName: string
}

const listed = async (...words: ReadonlyArray<string>): Promise<ReadonlyArray<Found>> => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const run = promisify(execFile)
  const { stdout } = await run(
    process.execPath,
    [vitest, "list", "--filesOnly", "--json", ...words],
    { cwd: root, maxBuffer: 2 ** 24 }
  )
  const found: ReadonlyArray<Found> = JSON.parse(stdout)
  return found.map(({ file, projectName }) => ({ file: file.slice(root.length + 1), projectName }))
}

const scripts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8")
).scripts

const lanesOf = (found: ReadonlyArray<Found>) =>
  [...new Set(found.map(({ projectName }) => projectName))].sort()

const wordsOf = (script: string) =>
  (scripts[script] ?? "")
    .split(" ")
    .filter((word) => word.startsWith("--"))
    .map((word) => word.replaceAll("'", ""))

describe("the lanes", () => {
  it("hold every test file once, and none is empty", async () => {
    const found = await listed()
    const there = globSync("test/**/*.test.{ts,tsx}", { cwd: root }).sort()
    assert.isAbove(there.length, 200)
    assert.deepStrictEqual(found.map(({ file }) => file).sort(), there)
    assert.deepStrictEqual(lanesOf(found), lanes.map(({ name }) => name).sort())
    // What was named and then moved would begin late, and nobody would see why.
    assert.includeMembers(there, [...longest])
  })

  it("are run by two scripts, the fast ones and the heavy ones", async () => {
    const namesWhere = (heavy: boolean) =>
      lanes
        .filter((lane) => isHeavy(lane) === heavy)
        .map(({ name }) => name)
        .sort()
    assert.deepStrictEqual(lanesOf(await listed(...wordsOf("test:fast"))), namesWhere(false))
    assert.deepStrictEqual(lanesOf(await listed(...wordsOf("test:heavy"))), namesWhere(true))
  })
})
