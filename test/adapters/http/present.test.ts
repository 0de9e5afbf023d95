/** Many come and go: none is counted twice or forgotten, and nothing of them is left behind. */
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { assert, describe, it } from "vitest"
import * as Present from "../../../adapters/http/present.ts"

v8.setFlagsFromString("--expose-gc")
const collect: (options: { readonly type: "minor" | "major" }) => void = vm.runInNewContext("gc")

const oldBytes = (): number =>
  v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")
    ?.space_used_size ?? Number.NaN

const mebibyte = 2 ** 20

type Enter = (one: object) => () => unknown

/** Eight are here at any time, some sixteen mebibytes of them in all. */
const comeAndGo = (enter: Enter) => {
  const here: Array<() => unknown> = []
  for (let count = 0; count < 8_000; count++) {
    here.push(enter({ carried: Array.from({ length: 250 }, () => count) }))
    if (here.length > 8) here.shift()?.()
    if (count % 400 === 0) collect({ type: "minor" })
  }
}

/**
 * How much of them the old generation holds when they have gone; the least of three attempts, each anew, as the
 * collector may be in the middle of something when one begins. What is kept by its making is kept each time.
 */
const keptBytes = (make: () => Enter): number => {
  const attempts = [1, 2, 3].map(() => {
    const enter = make()
    comeAndGo(enter)
    collect({ type: "major" })
    const before = oldBytes()
    comeAndGo(enter)
    return oldBytes() - before
  })
  return Math.min(...attempts)
}

describe("those who are here", () => {
  it("are those who came and did not leave", () => {
    const here = Present.make<string>()
    const leaves = ["a", "b", "c", "d"].map((one) => here.enter(one))
    leaves[1]?.()
    leaves[1]?.()
    assert.sameMembers([...here], ["a", "c", "d"])
    leaves[3]?.()
    leaves[0]?.()
    assert.deepStrictEqual([...here], ["c"])
    here.enter("e")
    assert.strictEqual(here.size, 2)
    leaves[2]?.()
    assert.deepStrictEqual([...here], ["e"])
  })

  it("may leave while they are looked at", () => {
    const here = Present.make<number>()
    const leaves = [0, 1, 2, 3].map((one) => here.enter(one))
    const seen: Array<number> = []
    for (const one of here) {
      seen.push(one)
      leaves[one]?.()
    }
    assert.deepStrictEqual(seen, [0, 1, 2, 3])
    assert.strictEqual(here.size, 0)
  })

  it("leave nothing behind, where a set keeps most of what was in it", () => {
    const bySet = keptBytes(() => {
      const set = new Set<object>()
      return (one) => {
        set.add(one)
        return () => set.delete(one)
      }
    })
    const byPresent = keptBytes(() => {
      const here = Present.make<object>()
      return (one) => here.enter(one)
    })
    assert.isBelow(byPresent, 2 * mebibyte)
    // Once a set does no better, this file has no reason any more.
    assert.isAbove(bySet, 4 * mebibyte)
  })
})
