/** A setting that the manual names is one that the service or the command line reads; any other would be set in vain. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Configuration from "../apps/server/configuration.ts"

const root = join(import.meta.dirname, "..")
const read = (name: string) => readFileSync(join(root, name), "utf8")

const sources = readdirSync(join(root, "apps"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => read(join("apps", name)))

const named = (form: RegExp) =>
  sources.flatMap((source) => [...source.matchAll(form)].map(([, name = ""]) => name))

/** By their whole names: those of the service, and those that the command line looks for. */
const whole = new Set([
  ...Object.values(Configuration.settings).map(({ variable }) => variable),
  ...named(/environment\.(BURSAR_[A-Z_]+)/gu),
  // The reader's own, in samples of a shell, and one of the compose file.
  "BURSAR_KEY",
  "BURSAR_HOST"
])

/** By what stands before a chain's id. */
const ofChains = named(/`(BURSAR_[A-Z_]+_)\$\{suffix\(/gu)

const isRead = (name: string): boolean =>
  whole.has(name) ||
  ofChains.some((prefix) => name.startsWith(prefix)) ||
  // `BURSAR_TIER_…` stands for all that begin so.
  (name.endsWith("_") && [...whole, ...ofChains].some((each) => each.startsWith(name)))

/** What is called a setting anywhere, and the first cells of the tables of settings. */
const settingsIn = (page: string): ReadonlyArray<string> => {
  const text = read(page)
  const anywhere = [...text.matchAll(/\bBURSAR_[A-Z_]+/gu)]
  const tables = [...text.matchAll(/^\| (?:Setting|Variable) \|.*\n\|[- |]+\n((?:\|.*\n)+)/gmu)]
  const cells = tables.flatMap(([, rows = ""]) =>
    rows.split("\n").flatMap((row) => [...(row.split(" | ")[0] ?? "").matchAll(/`([A-Z_]+)/gu)])
  )
  return [...new Set([...anywhere.map(([name]) => name), ...cells.map(([, name = ""]) => name)])]
}

describe("the manual", () => {
  it("names no setting that nothing reads", () => {
    const pages = readdirSync(join(root, "docs/manual"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join("docs/manual", name))
    const all = [...pages, "README.md", "container/env.example"].flatMap((page) =>
      settingsIn(page).map((name) => ({ page, name }))
    )
    assert.isAbove(all.length, 100)
    assert.deepStrictEqual(
      all.filter(({ name }) => !isRead(name)),
      []
    )
  })
})
