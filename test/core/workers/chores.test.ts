/** Chores go on by the batch until nothing is left, and one that fails holds up no other. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { atomically, MemoryStore } from "../../../adapters/memory/store.ts"
import { expireAll, finish, maxAtOnce, maxRows } from "../../../core/background/chore.ts"
import { Atomically } from "../../../core/ports/atomically.ts"

it.effect("a full batch is followed by the next at once, and none asks for more than it may", () =>
  Effect.gen(function* () {
    let left = 2 * maxRows + 1
    const asked: Array<number> = []
    const batch = (max: number) =>
      Effect.sync(() => {
        asked.push(max)
        const rows = Math.min(max, left)
        left -= rows
        return rows
      })
    yield* finish({ name: "Counting", batch })
    assert.deepStrictEqual(asked, [maxRows, maxRows, maxRows])
    assert.strictEqual(left, 0)
    assert.strictEqual(maxRows, 1000)
  })
)

it.effect("a chore that fails leaves the others to be done", () =>
  Effect.gen(function* () {
    const done: Array<string> = []
    const chore = (name: string, isBroken: boolean) => ({
      name,
      batch: () =>
        Effect.suspend(() => {
          done.push(name)
          return isBroken ? Effect.die(new Error("canceling statement")) : Effect.succeed(0)
        })
    })
    yield* Effect.forEach([chore("first", true), chore("second", false)], finish)
    assert.deepStrictEqual(done, ["first", "second"])
  })
)

it.effect.each([
  { rows: 1, atOnce: 4 },
  { rows: 7, atOnce: 3 },
  { rows: 100, atOnce: 2 }
])(
  "what is overdue is expired without a pause, past what cannot be: $rows together, $atOnce at once",
  (shares) =>
    Effect.gen(function* () {
      const waiting = new Set(Array.from({ length: 3 * maxAtOnce }, (_, index) => `row-${index}`))
      const overdue = Effect.sync(() => [...waiting].slice(0, maxAtOnce))
      const some = (ids: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          assert.isAtMost(ids.length, shares.rows)
          if (ids.includes("row-7")) return Effect.die(new Error("It cannot be."))
          return Effect.succeed(ids.filter((id) => waiting.delete(id)).length)
        })
      const expired = yield* expireAll("Expiring a row", overdue, some, shares)
      assert.strictEqual(expired, 3 * maxAtOnce - 1)
      assert.deepStrictEqual([...waiting], ["row-7"])
    }).pipe(Effect.provide(Layer.provide(atomically, MemoryStore.layer)))
)

it.effect("no more transactions are at what is overdue at once than there are to be", () =>
  Effect.gen(function* () {
    const most: Array<number> = []
    for (const atOnce of [1, 2, 3]) {
      const waiting = new Set(Array.from({ length: 40 }, (_, index) => `row-${index}`))
      let [running, mostAtOnce] = [0, 0]
      const some = (ids: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          mostAtOnce = Math.max(mostAtOnce, ++running)
          yield* Effect.yieldNow
          running -= 1
          return ids.filter((id) => waiting.delete(id)).length
        })
      const overdue = Effect.sync(() => [...waiting])
      yield* expireAll("Expiring a row", overdue, some, { rows: 5, atOnce })
      most.push(mostAtOnce)
    }
    assert.deepStrictEqual(most, [1, 2, 3])
  }).pipe(
    Effect.provide(Layer.succeed(Atomically, { run: (work) => work, afterCommit: (work) => work }))
  )
)
