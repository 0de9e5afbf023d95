/** Imports lead one way: a room imports from the rooms below it, no files go round in a circle, a noun knows no store. */
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { floors, isPort } from "./support/floors.ts"
import { cycles, sourcesIn } from "./support/source-tree.ts"

const core = sourcesIn("core")

const none = (broken: ReadonlyArray<string>) => assert.strictEqual(broken.join("\n"), "")

/** `core/payments/open.ts` is in the room `payments`. */
const roomOf = (path: string) => path.split("/")[1] ?? ""

describe("the floors of core", () => {
  const rooms = floors.map(([room]) => room)
  const level = new Map(rooms.map((room, at) => [room, at]))

  it("every room stands on one, and every floor has its room", () => {
    const there = new Set(core.map(({ path }) => roomOf(path)))
    none([...there].filter((room) => !level.has(room)))
    none(rooms.filter((room) => !there.has(room)))
  })

  it("ARCHITECTURE.md has a row for every room, in the order of the floors", async () => {
    const page = await readFile(join(import.meta.dirname, "../ARCHITECTURE.md"), "utf8")
    const shown = page.split("\n").filter((line) => /^\| `\w+` \| /u.test(line))
    assert.deepStrictEqual(
      shown,
      floors.map(([room, holds]) => `| \`${room}\` | ${holds} |`)
    )
  })

  it("a room imports from below only", () => {
    none(
      core.flatMap((source) => {
        const from = roomOf(source.path)
        return source.imports.flatMap(({ file }) => {
          const to = file?.startsWith("core/") === true ? roomOf(file) : from
          if (to === from || Number(level.get(to)) < Number(level.get(from))) return []
          return `${source.path} imports ${file}, but ${to} stands above ${from}. Move what both need to a room below ${from}, or let ${to} hand it down through a service, as the registry of kinds does.`
        })
      })
    )
  })
})

describe("files", () => {
  it("none imports itself, by whatever way round", () => {
    none(
      cycles().map(
        (way) =>
          `${way}: these files import one another in a circle, types counted. A type belongs in the file of its noun, which imports neither store nor reads; move the rest of that file beside it.`
      )
    )
  })
})

/** The file of a noun: a store of the same room takes its type from there. */
const isNoun = (path: string) =>
  !isPort(path) &&
  core.some(
    (source) =>
      isPort(source.path) &&
      dirname(source.path) === dirname(path) &&
      source.imports.some(({ file }) => file === path)
  )

describe("nouns", () => {
  const nouns = core.filter(({ path }) => isNoun(path))

  it("are found where stores hand them out", () => assert.isAbove(nouns.length, 20))

  it("hold a type, its rules and its refusals, and import no port and no store", () => {
    none(
      nouns.flatMap(({ path, imports }) =>
        imports
          .filter(({ file }) => isPort(file ?? ""))
          .map(
            ({ file }) =>
              `${path} is the file of a noun and imports ${file}. Move what reads or writes there into a file beside it, such as find.ts.`
          )
      )
    )
  })
})
