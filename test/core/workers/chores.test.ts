/** Chores go on by the batch until nothing is left, and one that fails holds up no other. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { atomically, MemoryStore } from "../../../adapters/memory/store.ts"
import { expireAll, finish, maxAtOnce, maxRows } from "../../../core/background/chore.ts"

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

it.effect.each([1, 7, 50])(
  "what is overdue is expired without a pause, past what cannot be: %i together",
  (together) =>
    Effect.gen(function* () {
      const waiting = new Set(Array.from({ length: 3 * maxAtOnce }, (_, index) => `row-${index}`))
      const overdue = Effect.sync(() => [...waiting].slice(0, maxAtOnce))
      const some = (ids: ReadonlyArray<string>) =>
        Effect.suspend(() => {
          assert.isAtMost(ids.length, together)
          if (ids.includes("row-7")) return Effect.die(new Error("It cannot be."))
          return Effect.succeed(ids.filter((id) => waiting.delete(id)).length)
        })
      const expired = yield* expireAll("Expiring a row", overdue, some, together)
      assert.strictEqual(expired, 3 * maxAtOnce - 1)
      assert.deepStrictEqual([...waiting], ["row-7"])
    }).pipe(Effect.provide(Layer.provide(atomically, MemoryStore.layer)))
)
