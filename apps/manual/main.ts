/** Writes the generated pages of the manual; with `--check` it only says which are stale, and fails. */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { pages } from "./pages.ts"

const folder = new URL("../../docs/manual/", import.meta.url)

const storedPage = (name: string) =>
  readFile(new URL(name, folder), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })

const stale: Array<string> = []
for (const [name, text] of Object.entries(await pages())) {
  if ((await storedPage(name)) !== text) stale.push(name)
  if (process.argv.includes("--check")) continue
  await mkdir(folder, { recursive: true })
  await writeFile(new URL(name, folder), text)
}

const list = stale.map((name) => `docs/manual/${name}`).join(", ")
if (stale.length === 0) console.log("The manual is up to date.")
else if (process.argv.includes("--check")) {
  console.error(`The manual is stale: ${list}. Run \`npm run manual\` and commit it.`)
  process.exitCode = 1
} else console.log(`Wrote ${list}.`)
