/** What every notifier must do: a signal is heard by all who listen, once, even a little later. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, type Layer } from "effect"
import { Notifier } from "../../core/ports/notifier.ts"

export const suite = (name: string, notifier: Layer.Layer<Notifier>) =>
  layer(notifier)(`${name}: wake-ups`, (it) => {
    it.effect("a signal wakes everyone who listens", () =>
      Effect.gen(function* () {
        const { listen, signal } = yield* Notifier
        const waits = [yield* listen("payments"), yield* listen("payments")]
        const waiting = yield* Effect.forEach(waits, (wait) => Effect.forkChild(wait))
        yield* Effect.yieldNow
        yield* signal("payments")
        yield* Fiber.joinAll(waiting)
      })
    )

    it.effect("a signal that came while nobody waited is not lost, and is heard once", () =>
      Effect.gen(function* () {
        const { listen, signal } = yield* Notifier
        const wait = yield* listen("deliveries")
        yield* signal("deliveries")
        yield* wait
        const second = yield* Effect.forkChild(wait)
        yield* Effect.yieldNow
        assert.isUndefined(second.pollUnsafe())
        yield* signal("deliveries")
        yield* Fiber.join(second)
      })
    )

    it.effect("many signals before one is waited for are one hint, which says how many", () =>
      Effect.gen(function* () {
        const { listen, signal } = yield* Notifier
        const [wait, marker] = [yield* listen("tasks"), yield* listen("payments")]
        yield* signal("tasks")
        yield* signal("tasks")
        yield* signal("tasks")
        yield* signal("payments")
        yield* marker
        assert.strictEqual(yield* wait, 3)
        const second = yield* Effect.forkChild(wait)
        yield* Effect.yieldNow
        assert.isUndefined(second.pollUnsafe())
        yield* Fiber.interrupt(second)
      })
    )

    it.effect("a signal about a subject is heard by those alone who listen for it", () =>
      Effect.gen(function* () {
        const { listen, signal } = yield* Notifier
        const marker = yield* listen("payments")
        const waits = yield* Effect.forEach(
          [
            yield* listen("proposals", "one"),
            yield* listen("proposals", "one"),
            yield* listen("proposals", "two"),
            yield* listen("proposals")
          ],
          (wait) => Effect.forkChild(wait)
        )
        const [one, again, two, all] = waits
        if (!(one && again && two && all)) return assert.fail("four listen")
        yield* signal("proposals", "one")
        yield* Fiber.joinAll([one, again])
        yield* signal("payments")
        yield* marker
        assert.isUndefined(two.pollUnsafe())
        assert.isUndefined(all.pollUnsafe())
        yield* signal("proposals")
        yield* Fiber.join(all)
        assert.isUndefined(two.pollUnsafe())
        yield* Fiber.interrupt(two)
      })
    )

    it.effect("topics are heard apart", () =>
      Effect.gen(function* () {
        const { listen, signal } = yield* Notifier
        const [tasks, payments] = [yield* listen("tasks"), yield* listen("payments")]
        const waiting = yield* Effect.forkChild(tasks)
        yield* signal("payments")
        yield* payments
        assert.isUndefined(waiting.pollUnsafe())
        yield* signal("tasks")
        yield* Fiber.join(waiting)
      })
    )
  })
