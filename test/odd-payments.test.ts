/** The page of odd payments is a list of tests: every row is the title of one that is there. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"

const root = join(import.meta.dirname, "..")

const read = (path: string) => readFile(join(root, path), "utf8")

it("every row of the page of odd payments is the title of the test it names", async () => {
  const rows = (await read("docs/manual/payments.md"))
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, what]) => what !== "What comes" && what !== "---")
  assert.isAbove(rows.length, 20)
  const missing: Array<string> = []
  for (const [, title = "", becomes = "", cell = ""] of rows) {
    const [, file = ""] = /^`(test\/[^`]+)`$/u.exec(cell) ?? []
    const source = await read(file).catch(() => "")
    // A long title may stand on a line of its own.
    if (!source.includes(`"${title}"`) || becomes === "") missing.push(`${cell}: ${title}`)
  }
  assert.strictEqual(missing.join("\n"), "")
})
