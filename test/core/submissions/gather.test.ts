/** What workers ask for at about the same time is done together, and one that hangs or fails holds up no other. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Gather from "../../../core/submissions/gather.ts"

/** Answers each with itself, and keeps what came together. */
const gathering = Effect.gen(function* () {
  const rounds: Array<ReadonlyArray<number>> = []
  const place = yield* Gather.make((asked: ReadonlyArray<number>) =>
    Effect.sync(() => {
      rounds.push(asked)
      return asked.map((each) =>
        each < 0 ? Exit.die(new Error(String(each))) : Exit.succeed(each)
      )
    })
  )
  const workers = (count: number) =>
    Array.from({ length: count }, () => {
      const worker = {}
      place.enter(worker)
      return worker
    })
  return {
    rounds,
    workers,
    ask: (worker: object, asked: number) => place.ask(worker, asked),
    leave: (worker: object) => place.leave(worker)
  }
})

it.effect("all that wait are answered together, each with its own", () =>
  Effect.gen(function* () {
    const { ask, rounds, workers } = yield* gathering
    const answers = yield* Effect.forEach(
      workers(5),
      (worker, at) =>
        Effect.gen(function* () {
          const first = yield* ask(worker, at)
          return [first, yield* ask(worker, 10 + at)]
        }),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers,
      [0, 1, 2, 3, 4].map((at) => [at, 10 + at])
    )
    assert.deepStrictEqual(rounds, [
      [0, 1, 2, 3, 4],
      [10, 11, 12, 13, 14]
    ])
  })
)

it.effect("one that is slow is waited for once, and for a moment", () =>
  Effect.gen(function* () {
    const { ask, leave, rounds, workers } = yield* gathering
    const [slow = {}, ...others] = workers(3)
    const going = yield* Effect.forkChild(
      Effect.forEach(
        others,
        (worker, at) =>
          Effect.ensuring(
            Effect.andThen(ask(worker, at), Effect.andThen(ask(worker, at), ask(worker, at))),
            leave(worker)
          ),
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust("19 millis")
    assert.deepStrictEqual(rounds, [])
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(going)
    assert.lengthOf(rounds, 3)
    assert.strictEqual(yield* ask(slow, 9), 9)
  })
)

it.effect("one that leaves, or is interrupted while it waits, is waited for no longer", () =>
  Effect.gen(function* () {
    const { ask, leave, rounds, workers } = yield* gathering
    const [one = {}, two = {}, three = {}] = workers(3)
    const [first, second] = [
      yield* Effect.forkChild(ask(one, 1)),
      yield* Effect.forkChild(ask(two, 2))
    ]
    yield* Effect.yieldNow
    yield* Fiber.interrupt(first)
    yield* leave(one)
    yield* leave(three)
    assert.strictEqual(yield* Fiber.join(second), 2)
    assert.deepStrictEqual(rounds, [[2]])
  })
)

it.effect("what one dies of is its own; what all die of is everybody's", () =>
  Effect.gen(function* () {
    const { ask, workers } = yield* gathering
    const exits = yield* Effect.forEach(
      workers(3),
      (worker, at) => Effect.exit(ask(worker, at === 1 ? -1 : at)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
    const doomed = yield* Gather.make(() => Effect.die(new Error("away")))
    const all = yield* Effect.forEach(
      [{}, {}],
      (worker) => Effect.exit(doomed.ask(worker, undefined)),
      { concurrency: "unbounded" }
    )
    assert.isTrue(all.every(Exit.hasDies))
  })
)

it.effect("what is asked while something is done waits for the next time", () =>
  Effect.gen(function* () {
    const rounds: Array<ReadonlyArray<number>> = []
    const gate = yield* Deferred.make<void>()
    const place = yield* Gather.make((asked: ReadonlyArray<number>) =>
      Effect.as(
        Effect.andThen(
          Effect.sync(() => rounds.push(asked)),
          Deferred.await(gate)
        ),
        asked.map((each) => Exit.succeed(each))
      )
    )
    const one = {}
    const first = yield* Effect.forkChild(Effect.ensuring(place.ask(one, 1), place.leave(one)))
    while (rounds.length === 0) yield* Effect.yieldNow
    const more = yield* Effect.forEach([2, 3], (each) => Effect.forkChild(place.ask({}, each)))
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(yield* Fiber.joinAll([first, ...more]), [1, 2, 3])
    assert.deepStrictEqual(rounds[0], [1])
    assert.deepStrictEqual(rounds.slice(1).flat().toSorted(), [2, 3])
  })
)
