/** A key store on a disk that hangs, as a network file system does whose server is away: nobody waits for it for long. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { oneAtATime } from "../../../adapters/secrets/one-at-a-time.ts"
import * as KeyStore from "../../../adapters/secrets/timeline.ts"

const never = new Promise<never>(() => {})

const turnsOfTheLoop = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))

describe("a disk that hangs", () => {
  it.effect("is waited for within a time", () =>
    Effect.gen(function* () {
      const { read } = KeyStore.at({ directory: "/away", isShared: true, reading: () => never })
      const asking = yield* Effect.forkChild(Effect.flip(read))
      yield* turnsOfTheLoop
      yield* TestClock.adjust("3 seconds")
      assert.include((yield* Fiber.join(asking)).detail, "does not answer")
      // No time passes here: whoever asks from now on is told at once.
      assert.include((yield* Effect.flip(read)).detail, "does not answer")
    })
  )

  it.effect("one that fails says why", () =>
    Effect.gen(function* () {
      const reading = () => Promise.reject(new Error("stale file handle"))
      const { read } = KeyStore.at({ directory: "/away", isShared: true, reading })
      assert.include((yield* Effect.flip(read)).detail, "stale file handle")
    })
  )

  it("is asked once at a time, and nobody gets what was read before they asked", async () => {
    const waiting: Array<(value: number) => void> = []
    let begun = 0
    const ask = oneAtATime(() => {
      begun += 1
      return new Promise<number>((resolve) => waiting.push(resolve))
    })
    const first = ask()
    const others = [ask(), ask(), ask()]
    assert.strictEqual(begun, 1)
    waiting[0]?.(1)
    assert.strictEqual(await first, 1)
    await new Promise((resolve) => setTimeout(resolve, 0))
    assert.strictEqual(begun, 2)
    waiting[1]?.(2)
    assert.deepStrictEqual(await Promise.all(others), [2, 2, 2])
    const last = ask()
    assert.strictEqual(begun, 3)
    waiting[2]?.(3)
    assert.strictEqual(await last, 3)
  })
})
