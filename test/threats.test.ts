/** The page of threats names tests; each of them is there, and no threat is without one. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"

const root = join(import.meta.dirname, "..")

/** The cells of the page's tables, row by row, without their headings. */
const rows = async (): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const page = await readFile(join(root, "docs/manual/threats.md"), "utf8")
  return page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, threat]) => threat !== "Threat" && threat !== "---")
}

/** A file and the titles that are said to stand in it. */
const named = (cell: string) =>
  [...cell.matchAll(/`(test\/[^`]+)`((?:;? "[^"]+")+)/gu)].map(([, file = "", titles = ""]) => ({
    file,
    titles: [...titles.matchAll(/"([^"]+)"/gu)].map(([, title = ""]) => title)
  }))

it("every threat is tried by tests that are there", async () => {
  const all = await rows()
  assert.isAbove(all.length, 20)
  const missing: Array<string> = []
  for (const [, threat = "", , cell = ""] of all) {
    const tests = named(cell)
    if (tests.length === 0) missing.push(`"${threat}" names no test`)
    for (const { file, titles } of tests) {
      const source = await readFile(join(root, file), "utf8").catch(() => "")
      for (const title of titles) {
        if (!source.includes(title)) missing.push(`${file} has no "${title}"`)
      }
    }
  }
  assert.strictEqual(missing.join("\n"), "")
})
