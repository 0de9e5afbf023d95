/**
 * Lines of history under promotions, restores and deaths in any order: never may two records sign, and whoever was
 * fenced stays so.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type Kept, type Line, type Standing, standingOf } from "../../../core/timeline/timeline.ts"

const now = "2030-01-01T00:00:00.000Z"

interface Records {
  line: Line | undefined
  server: string
}

/** Records on several servers beside one key store. */
const world = () => {
  const all: Array<Records> = [{ line: undefined, server: "s0" }]
  const lines = new Map<number, string>()
  const kept = (): Kept | undefined => {
    const number = Math.max(0, ...lines.keys())
    return number === 0 ? undefined : { number, server: lines.get(number) as string }
  }
  const look = ({ line, server }: Records): Standing =>
    standingOf({ kept: kept(), line, server }, now)
  /** What a worker does with what it saw, which may be long ago by now. */
  const act = (records: Records, seen: Standing) => {
    if (seen._tag === "moved" && records.line === seen.line) records.line = seen.next
    if (seen._tag === "unkept" && !lines.has(seen.line.number)) {
      lines.set(seen.line.number, seen.line.server)
    }
    if (seen._tag === "held" && records.line === seen.line) {
      records.line = { ...seen.line, held: null }
    }
  }
  return { all, look, act }
}

const settled = (records: Records, { act, look }: ReturnType<typeof world>) => {
  for (let turn = 0; turn < 6; turn++) act(records, look(records))
}

describe("lines of history", () => {
  it("the first line is open at once, and one on another server is held first", () => {
    const { act, all, look } = world()
    const [first] = all as [Records]
    act(first, look(first))
    act(first, look(first))
    assert.deepStrictEqual(look(first), { _tag: "open" })
    const promoted = { line: first.line, server: "s1" }
    assert.strictEqual(look(promoted)._tag, "moved")
    act(promoted, look(promoted))
    // Until the key store has it, the old one still signs and this one does not.
    assert.strictEqual(look(promoted)._tag, "unkept")
    assert.strictEqual(look(first)._tag, "open")
    act(promoted, look(promoted))
    assert.strictEqual(look(promoted)._tag, "held")
    assert.strictEqual(look(first)._tag, "fenced")
  })

  it("records without a line are held where the key store knows one: they were lost", () => {
    const standing = standingOf(
      { kept: { number: 3, server: "s0" }, line: undefined, server: "s1" },
      now
    )
    assert.isTrue(standing._tag === "moved" && standing.next.number === 4)
    assert.isTrue(standing._tag === "moved" && standing.next.held !== null)
  })

  it("of two that are promoted at once, one at most may sign", () => {
    const place = world()
    const [first] = place.all as [Records]
    settled(first, place)
    const [one, other] = ["s1", "s2"].map((server) => ({ line: first.line, server })) as [
      Records,
      Records
    ]
    const seen = [place.look(one), place.look(other)] as const
    place.act(one, seen[0])
    place.act(other, seen[1])
    settled(one, place)
    settled(other, place)
    assert.deepStrictEqual([place.look(one)._tag, place.look(other)._tag], ["fenced", "open"])
  })

  it("whatever is promoted and whoever stands still meanwhile, never two records may sign", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("promote" as const), of: fc.nat(5) }),
      fc.record({ do: fc.constant("look" as const), of: fc.nat(5) }),
      fc.record({ do: fc.constant("act" as const), of: fc.nat(5) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { act, all, look } = world()
        const seen = new Map<Records, Standing>()
        let highest = 0
        for (const { do: what, of } of steps) {
          const records = all[of % all.length] as Records
          if (what === "promote" && all.length < 6) {
            all.push({ line: records.line, server: `s${all.length}` })
          }
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
