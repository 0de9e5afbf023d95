/**
 * Lines of history under promotions, restores and deaths in any order: never may two records sign, and whoever was
 * fenced stays so.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type KeyStore,
  type Line,
  type Standing,
  standingOf
} from "../../../core/timeline/timeline.ts"

const now = "2030-01-01T00:00:00.000Z"

interface Folder {
  readonly name: string
  readonly lines: Map<number, string>
}

interface Records {
  line: Line | undefined
  server: string
  folder: Folder
}

const emptyFolder = (name: string): Folder => ({ name, lines: new Map() })

const keyStoreOf = ({ lines, name }: Folder): KeyStore => {
  const number = Math.max(0, ...lines.keys())
  return number === 0
    ? { isShared: true, id: undefined, kept: undefined }
    : { isShared: true, id: name, kept: { number, server: lines.get(number) as string } }
}

/** Records on several servers beside one key store, whose folder may not be mounted on one or the other. */
const world = () => {
  const shared = emptyFolder("shared")
  const all: Array<Records> = [{ line: undefined, server: "s0", folder: shared }]
  const look = ({ folder, line, server }: Records): Standing =>
    standingOf({ keyStore: keyStoreOf(folder), line, server }, now)
  /** What a worker does with what it saw, which may be long ago by now. */
  const act = (records: Records, seen: Standing) => {
    if (seen._tag === "moved" && records.line === seen.line) records.line = seen.next
    if (seen._tag === "unnamed" && records.line === seen.line) records.line = seen.next
    const { lines } = records.folder
    if (seen._tag === "unkept" && !lines.has(seen.line.number)) {
      lines.set(seen.line.number, seen.line.server)
    }
    if (seen._tag === "held" && records.line === seen.line) {
      records.line = { ...seen.line, held: null }
    }
  }
  return { all, look, act, shared }
}

const settled = (records: Records, { act, look }: ReturnType<typeof world>) => {
  for (let turn = 0; turn < 6; turn++) act(records, look(records))
}

describe("lines of history", () => {
  it("the first line is open at once, and one on another server is held first", () => {
    const { act, all, look, shared } = world()
    const [first] = all as [Records]
    settled(first, { act, all, look, shared })
    assert.deepStrictEqual(look(first), { _tag: "open" })
    const promoted = { line: first.line, server: "s1", folder: shared }
    assert.strictEqual(look(promoted)._tag, "moved")
    act(promoted, look(promoted))
    // Until the key store has it, the old one still signs and this one does not.
    assert.strictEqual(look(promoted)._tag, "unkept")
    assert.strictEqual(look(first)._tag, "open")
    act(promoted, look(promoted))
    assert.strictEqual(look(promoted)._tag, "unnamed")
    assert.strictEqual(look(first)._tag, "fenced")
    act(promoted, look(promoted))
    assert.strictEqual(look(promoted)._tag, "held")
  })

  it("records without a line are held where the key store knows one: they were lost", () => {
    const standing = standingOf(
      {
        keyStore: { isShared: true, id: "shared", kept: { number: 3, server: "s0" } },
        line: undefined,
        server: "s1"
      },
      now
    )
    assert.isTrue(standing._tag === "moved" && standing.next.number === 4)
    assert.isTrue(standing._tag === "moved" && standing.next.held !== null)
  })

  it("of two that are promoted at once, one at most may sign", () => {
    const place = world()
    const [first] = place.all as [Records]
    settled(first, place)
    const [one, other] = ["s1", "s2"].map((server) => ({
      line: first.line,
      server,
      folder: place.shared
    })) as [Records, Records]
    const seen = [place.look(one), place.look(other)] as const
    place.act(one, seen[0])
    place.act(other, seen[1])
    // Both have the same number by now, and it is nobody's own before the key store has said whose it is.
    assert.deepStrictEqual([one.line?.number, other.line?.number], [2, 2])
    assert.deepStrictEqual([one.line?.isKept, other.line?.isKept], [undefined, undefined])
    settled(one, place)
    assert.isTrue(one.line?.isKept)
    assert.isUndefined(other.line?.isKept)
    settled(other, place)
    assert.deepStrictEqual([place.look(one)._tag, place.look(other)._tag], ["fenced", "open"])
  })

  it("with an empty folder in the place of the key store nothing is signed, whatever is done", () => {
    const place = world()
    const [old] = place.all as [Records]
    settled(old, place)
    const promoted = { line: old.line, server: "s1", folder: place.shared }
    settled(promoted, place)
    assert.strictEqual(place.look(promoted)._tag, "open")
    old.folder = emptyFolder("not mounted")
    settled(old, place)
    assert.strictEqual(place.look(old)._tag, "missing")
    old.folder = place.shared
    assert.strictEqual(place.look(old)._tag, "fenced")
  })

  it("a new machine with a folder of its own signs, where each has one", () => {
    const line = {
      number: 1,
      server: "s0",
      begunAt: now,
      keyStore: null,
      isKept: true,
      held: null
    }
    const own = { isShared: false, id: undefined, kept: undefined }
    assert.strictEqual(standingOf({ keyStore: own, line, server: "s0" }, now)._tag, "unkept")
    const kept = { number: 1, server: "s0" }
    const after = standingOf({ keyStore: { ...own, id: "own", kept }, line, server: "s0" }, now)
    assert.strictEqual(after._tag, "open")
  })

  it("a process with a folder of its own signs nothing on records whose key store is shared", () => {
    const line = { number: 1, server: "s0", begunAt: now, keyStore: "shared", held: null }
    const own = { isShared: false, id: "own", kept: { number: 1, server: "s0" } }
    assert.strictEqual(standingOf({ keyStore: own, line, server: "s0" }, now)._tag, "missing")
  })

  it("whatever is promoted and whoever stands still meanwhile, never two records may sign", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("promote" as const), of: fc.nat(5) }),
      fc.record({ do: fc.constant("look" as const), of: fc.nat(5) }),
      fc.record({ do: fc.constant("unmount" as const), of: fc.nat(5) }),
      fc.record({ do: fc.constant("mount" as const), of: fc.nat(5) }),
      fc.record({ do: fc.constant("act" as const), of: fc.nat(5) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const place = world()
        const { act, all, look, shared } = place
        settled(all[0] as Records, place)
        const seen = new Map<Records, Standing>()
        let highest = 0
        for (const { do: what, of } of steps) {
          const records = all[of % all.length] as Records
          if (what === "promote" && all.length < 6) {
            all.push({ line: records.line, server: `s${all.length}`, folder: shared })
          }
          if (what === "unmount") records.folder = emptyFolder(`under ${records.server}`)
          if (what === "mount") records.folder = shared
          if (what === "look") seen.set(records, look(records))
          if (what === "act") act(records, seen.get(records) ?? look(records))
          const open = all.filter((each) => look(each)._tag === "open")
          assert.isAtMost(open.length, 1)
          // Nobody with a lower number comes back.
          const number = open[0]?.line?.number ?? highest
          assert.isAtLeast(number, highest)
          highest = number
        }
      }),
      { numRuns: 2000 }
    )
  })
})
