/** Clients take turns, who comes with little goes first, and who waits with most gives up its place. */
import { assert, describe, it, vi } from "vitest"
import * as FairQueue from "../../../adapters/http/fair-queue.ts"

const filled = (names: ReadonlyArray<string>, maxWaitMs = 60_000) => {
  const queue = FairQueue.make(maxWaitMs)
  const began: Array<string> = []
  const yielded: Array<string> = []
  const join = (name: string) => {
    const waiter = {
      begin: () => void began.push(name),
      yieldPlace: () => void yielded.push(name)
    }
    queue.join(name.split(" ")[0] ?? "", waiter)
    return waiter
  }
  for (const name of names) join(name)
  const joinFirst = (name: string) =>
    queue.joinFirst(name.split(" ")[0] ?? "", {
      begin: () => void began.push(name),
      yieldPlace: () => void yielded.push(name)
    })
  const run = (count = queue.size()) => {
    for (let at = 0; at < count; at++) queue.next()?.begin()
  }
  return { queue, began, yielded, join, joinFirst, run }
}

const many = (client: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${client} ${at}`)

describe("a fair queue", () => {
  it("serves clients in turn, each in its own order", () => {
    const { began, run } = filled(["a 0", "a 1", "a 2", "b 0", "b 1", "c 0"])
    run()
    assert.deepStrictEqual(began, ["a 0", "b 0", "c 0", "a 1", "b 1", "a 2"])
  })

  it("lets whoever comes alone go before all who wait with much", () => {
    const { began, join, run } = filled([...many("a", 500), ...many("b", 500)])
    run(10)
    join("late 0")
    run(1)
    assert.strictEqual(began.at(-1), "late 0")
  })

  it("lets nobody go first twice in a round, however often it comes back", () => {
    const { began, join, run } = filled([...many("a", 2), ...many("b", 2), "eager 0"])
    run(3)
    for (let at = 1; at < 6; at++) {
      join(`eager ${at}`)
      run(1)
    }
    assert.isBelow(began.indexOf("a 1"), began.indexOf("eager 2"))
    assert.isBelow(began.indexOf("b 1"), began.indexOf("eager 2"))
  })

  it("forgets whoever leaves, and counts right", () => {
    const { began, join, queue, run } = filled(["a 0"])
    const leaving = join("b 0")
    queue.quit("b", leaving)
    queue.quit("b", leaving)
    assert.strictEqual(queue.size(), 1)
    assert.strictEqual(queue.sizeOf("b"), 0)
    run()
    assert.deepStrictEqual(began, ["a 0"])
    assert.isUndefined(queue.next())
  })

  it("takes the last place of whoever waits with most, and of nobody who waits with as little", () => {
    const { queue, yielded } = filled(["a 0", "b 0", "b 1", "b 2"])
    assert.isTrue(queue.makeRoomFor("late"))
    assert.deepStrictEqual(yielded, ["b 2"])
    assert.isFalse(queue.makeRoomFor("b"))
    assert.isTrue(queue.makeRoomFor("later"))
    assert.isFalse(queue.makeRoomFor("latest"))
    assert.strictEqual(queue.size(), 2)
  })

  it("lets whoever goes on go before all that its client waits with, and before nobody else", () => {
    const { began, joinFirst, run } = filled(["a 0", "a 1", "b 0", "b 1"])
    run(1)
    joinFirst("a again")
    run()
    assert.deepStrictEqual(began, ["a 0", "b 0", "a again", "b 1", "a 1"])
  })

  it("keeps nobody waiting for longer than its bound, but for whoever goes on", async () => {
    const { began, joinFirst, queue, run, yielded } = filled(["a 0", "a 1"], 20)
    run(1)
    joinFirst("b again")
    await vi.waitFor(() => assert.deepStrictEqual(yielded, ["a 1"]))
    assert.strictEqual(queue.size(), 1)
    run()
    assert.deepStrictEqual(began, ["a 0", "b again"])
  })
})
