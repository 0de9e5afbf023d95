/** The hand-written documents name files and decisions; here each of them is looked for. */
import { access, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = join(import.meta.dirname, "..")

const read = (name: string) => readFile(join(root, name), "utf8")

describe("the index of decisions", () => {
  it("has a line for every page, under the page's own title", async () => {
    const index = await read("docs/decisions/README.md")
    const pages = (await readdir(join(root, "docs/decisions"))).filter((name) => /^\d/u.test(name))
    const titles = await Promise.all(
      pages.map(async (name) => ({
        name,
        heading: (await read(`docs/decisions/${name}`)).split("\n", 1)[0] ?? ""
      }))
    )
    const wrong = titles.filter(({ name, heading }) => {
      const [, number, title] = /^# (\d{4}): (.+)$/u.exec(heading) ?? []
      return !(
        name.startsWith(`${number}-`) && index.includes(`| ${number} | [${title}](${name}) |`)
      )
    })
    assert.deepStrictEqual(
      wrong,
      [],
      "a page begins `# 0001: Title` and has a line `| 0001 | [Title](file) | … |` in README.md"
    )
    const numbers = [...index.matchAll(/^\| (\d{4}) \|/gmu)].map(([, number]) => number)
    assert.deepStrictEqual(
      numbers,
      [...new Set(numbers)].toSorted(),
      "the lines stand in the order of numbers, each number once"
    )
  })
})

const isThere = (path: string) =>
  access(join(root, path)).then(
    () => true,
    () => false
  )

/** What looks like a path, blanks included: a rename that went wrong leaves `core/a/b c.ts`. */
const anyPath = /`((?:[\w.-]+\/)+[^`*{}<>…\n]*)`/gu
const sourcePath = /`((?:core|adapters|apps|test|examples|bench|docs)\/[^`*{}<>…\n]*)`/gu

const missing = async (page: string, form = sourcePath) => {
  const named = [...(await read(page)).matchAll(form)].map(([, path = ""]) => path)
  const found = await Promise.all(named.map(isThere))
  return named.filter((_, at) => found[at] === false)
}

describe("a page for those who change the code", () => {
  it.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/GLOSSARY.md"])(
    "%s names only files and folders that are there",
    async (page) => {
      assert.isAbove((await read(page)).match(anyPath)?.length ?? 0, 20)
      assert.deepStrictEqual(await missing(page, anyPath), [])
    }
  )
})

describe("the glossary", () => {
  it("has each word once, in the order of the alphabet", async () => {
    const lines = [...(await read("docs/GLOSSARY.md")).matchAll(/^\| (.+?) \|/gmu)]
    const [, , ...words] = lines.map(([, word = ""]) => word)
    assert.isAbove(words.length, 60)
    const inOrder = [...new Set(words)].toSorted((one, other) => one.localeCompare(other, "en"))
    assert.deepStrictEqual(words, inOrder)
  })
})

describe("the reference", () => {
  it("says no word twice in a row", async () => {
    const reference = await read("docs/manual/reference.md")
    assert.deepStrictEqual(reference.match(/\b([A-Za-z]{2,}) \1\b/gu) ?? [], [])
  })
})

describe("every other page", () => {
  it("names only files and folders that are there", async () => {
    const manual = (await readdir(join(root, "docs/manual"))).filter((name) => name.endsWith(".md"))
    const pages = ["README.md", ...manual.map((name) => `docs/manual/${name}`)]
    const wrong = await Promise.all(
      pages.map(async (page) => (await missing(page)).map((path) => `${page}: ${path}`))
    )
    assert.deepStrictEqual(wrong.flat(), [])
  })
})
