/** What every queue of tasks must do: nothing that was committed is forgotten, nothing that was not is done. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { Atomically } from "../../core/ports/atomically.ts"
import { type Task, Tasks } from "../../core/ports/tasks.ts"
import * as Rows from "../support/rows.ts"

const aTask = (): Task => ({ kind: "provision_vaults", row: Rows.anId() })

/** Lets time pass for leases and retries, and real time for a database, until the work has ended. */
const passing = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(work)
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust("10 seconds")
    yield* TestClock.withLive(Effect.sleep("2 millis"))
  }
  return yield* Fiber.join(fiber)
})

/** Takes one task, does it and tells which it was. */
const done = Effect.fnUntraced(function* () {
  const seen: Array<string> = []
  const { take } = yield* Tasks
  yield* passing(take((task) => Effect.sync(() => seen.push(`${task.kind} ${task.row}`))))
  return seen
})

const told = (task: Task) => [`${task.kind} ${task.row}`]

export const suite = (name: string, stores: Layer.Layer<Tasks | Atomically>) =>
  layer(stores)(`${name}: tasks`, (it) => {
    it.effect("an offered task is taken and done", () =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const task = aTask()
        yield* tasks.offer(task)
        assert.deepStrictEqual(yield* done(), told(task))
      })
    )

    it.effect("who waits for a task gets the one that is offered later", () =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const task = aTask()
        const waiting = yield* Effect.forkChild(done())
        for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
        yield* (yield* Atomically).run(tasks.offer(task))
        assert.deepStrictEqual(yield* Fiber.join(waiting), told(task))
      })
    )

    it.effect("a task that is offered twice is queued once", () =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const [twice, next] = [aTask(), aTask()]
        yield* tasks.offer(twice)
        yield* tasks.offer(twice)
        yield* tasks.offer(next)
        const both = [...(yield* done()), ...(yield* done())]
        assert.sameMembers(both, [...told(twice), ...told(next)])
      })
    )

    it.effect("a task of a transaction that is rolled back is never done", () =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const { run } = yield* Atomically
        const [lost, kept] = [aTask(), aTask()]
        yield* Effect.exit(run(Effect.andThen(tasks.offer(lost), Effect.fail("no"))))
        yield* run(tasks.offer(kept))
        assert.deepStrictEqual(yield* done(), told(kept))
      })
    )

    it.effect("two workers do not do one task at the same time", () =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const [one, two] = [aTask(), aTask()]
        const release = yield* Deferred.make<void>()
        const taken: Array<string> = []
        const work = tasks.take((task) =>
          Effect.andThen(
            Effect.sync(() => taken.push(...told(task))),
            Deferred.await(release)
          )
        )
        const workers = yield* Effect.forEach([work, work], (worker) => Effect.forkChild(worker))
        yield* tasks.offer(one)
        yield* tasks.offer(two)
        yield* passing(
          Effect.whileLoop({
            while: () => taken.length < 2,
            body: () => Effect.sleep("1 second"),
            step: () => undefined
          })
        )
        yield* Deferred.succeed(release, undefined)
        yield* passing(Fiber.joinAll(workers))
        assert.sameMembers(taken, [...told(one), ...told(two)])
      })
    )

    it.effect("a task that failed is due again, and its failure is told", () =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const task = aTask()
        yield* tasks.offer(task)
        const failed = yield* Effect.exit(passing(tasks.take(() => Effect.fail("chain is down"))))
        assert.deepStrictEqual(failed, Exit.fail("chain is down"))
        assert.deepStrictEqual(yield* done(), told(task))
      })
    )

    it.effect("a task whose worker was interrupted is done by another", () =>
      Effect.gen(function* () {
        const tasks = yield* Tasks
        const task = aTask()
        const begun = yield* Deferred.make<void>()
        yield* tasks.offer(task)
        const worker = yield* Effect.forkChild(
          tasks.take(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
        )
        yield* passing(Deferred.await(begun))
        yield* Fiber.interrupt(worker)
        assert.deepStrictEqual(yield* done(), told(task))
      })
    )
  })
