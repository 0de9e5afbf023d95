/** The life of a proposal: every pair of states, and none that leads back. */
import { assert, describe, it } from "@effect/vitest"
import { isTerminal, mayFollow, Status } from "../../../core/proposals/proposal.ts"

describe("A proposal", () => {
  it("goes nowhere from where it ended", () => {
    for (const from of Status.literals.filter(isTerminal)) {
      for (const to of Status.literals) assert.isFalse(mayFollow(from, to), `${from} to ${to}`)
    }
  })

  it("that is executing ends completed or failed, and in no other way", () => {
    const ends = Status.literals.filter((to) => mayFollow("executing", to))
    assert.deepEqual([...ends], ["completed", "failed"])
  })

  it("never goes back to where it was", () => {
    for (const from of Status.literals) {
      assert.isFalse(mayFollow(from, from))
      assert.isFalse(mayFollow(from, "pending_confirm"), from)
    }
  })
})
