/** What is asked in one turn of the event loop is answered together, and everybody who asked hears. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { gatheredInTurn } from "../../../adapters/turns/end-of-turn.ts"

const all = { concurrency: "unbounded" } as const

const counting = () => {
  const heard: Array<ReadonlyArray<number>> = []
  const twice = gatheredInTurn<number, number, never>((asked) =>
    Effect.sync(() => {
      heard.push(asked.map(({ question }) => question))
      for (const { answer, question } of asked) answer(Exit.succeed(2 * question))
    })
  )
  return { heard, twice }
}

describe("what is asked in one turn", () => {
  it.live("is one list, and the next turn's is another", () =>
    Effect.gen(function* () {
      const { heard, twice } = counting()
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], twice, all), [2, 4, 6])
      assert.deepStrictEqual(yield* Effect.forEach([4, 5], twice, all), [8, 10])
      assert.deepStrictEqual(heard, [
        [1, 2, 3],
        [4, 5]
      ])
    })
  )

  it.live("leaves out who was interrupted before its end, and asks nothing for nobody", () =>
    Effect.gen(function* () {
      const { heard, twice } = counting()
      const alone = yield* Effect.forkChild(twice(1), { startImmediately: true })
      yield* Fiber.interrupt(alone)
      const left = yield* Effect.forkChild(twice(2), { startImmediately: true })
      const stays = yield* Effect.forkChild(twice(3), { startImmediately: true })
      yield* Fiber.interrupt(left)
      assert.strictEqual(yield* Fiber.join(stays), 6)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(heard, [[3]])
    })
  )

  it.live("ends for all of them when it fails, and for who was left without an answer", () =>
    Effect.gen(function* () {
      const failing = gatheredInTurn<number, number, never>(([first]) => {
        first?.answer(Exit.succeed(1))
        return Effect.die("no")
      })
      const forgetful = gatheredInTurn<number, number, never>(() => Effect.void)
      const [one, other] = yield* Effect.forEach([1, 2], (each) => Effect.exit(failing(each)), all)
      assert.deepStrictEqual(one, Exit.succeed(1))
      assert.deepStrictEqual(other, Exit.die("no"))
      const exit = yield* Effect.exit(forgetful(1))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )
})
