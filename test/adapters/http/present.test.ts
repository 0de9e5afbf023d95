/** Many come and go: none is counted twice or forgotten, and nothing of them is left behind. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import * as Present from "../../../adapters/http/present.ts"

const mebibyte = 2 ** 20

const leftBehind = join(import.meta.dirname, "../../support/left-behind.ts")

const keptBytes = (who: "set" | "present" | "turns" | "served" | "unserved"): number =>
  Number(execFileSync(process.execPath, [leftBehind, who], { encoding: "utf8" }))

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
    assert.isBelow(keptBytes("present"), 2 * mebibyte)
    // Once a set does no better, this file has no reason any more.
    assert.isAbove(keptBytes("set"), 4 * mebibyte)
  })

  it("leave nothing behind when they are calls of keys", () => {
    assert.isBelow(keptBytes("turns"), mebibyte / 4)
  })

  it("are young in a process that serves, whatever those before them were", () => {
    assert.isBelow(keptBytes("served"), mebibyte / 4)
    // Once V8 makes nothing old from the first by itself, `tenure.ts` has no reason any more.
    assert.isAbove(keptBytes("unserved"), 2 * mebibyte)
  })
})
