/** How the second chain begins when it is asked for, where that fails, comes late or is asked for twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as OnDemand from "../../../apps/sandbox/bridges/on-demand.ts"
import { ChainNotStarted } from "../../../apps/sandbox/chain-not-started.ts"

const notStarted = (detail: string) => new ChainNotStarted({ reason: "failed", detail })

/** A port that one holds at a time, and that takes a second to be free again. */
const portOf = () => {
  let isTaken = false
  return Effect.acquireRelease(
    Effect.suspend(() => {
      if (isTaken) return Effect.fail(notStarted("the port is taken"))
      isTaken = true
      return Effect.void
    }),
    () =>
      Effect.sleep("1 second").pipe(
        Effect.andThen(
          Effect.sync(() => {
            isTaken = false
          })
        )
      )
  )
}

describe("what begins on demand", () => {
  it.effect("does not begin anew before what failed has let go of everything", () =>
    Effect.gen(function* () {
      const port = portOf()
      const begin = Effect.andThen(port, Effect.fail(notStarted("it broke")))
      const { wait } = yield* OnDemand.make(begin)
      const first = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("500 millis")
      const second = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("2 seconds")
      assert.include((yield* Fiber.join(first)).detail, "it broke")
      assert.include((yield* Fiber.join(second)).detail, "it broke")
    }).pipe(Effect.scoped)
  )

  it.effect("says why it failed to whoever asks after that came too late for the one before", () =>
    Effect.gen(function* () {
      const begin = Effect.andThen(Effect.sleep("20 seconds"), Effect.fail(notStarted("it broke")))
      const { wait } = yield* OnDemand.make(begin)
      const first = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("16 seconds")
      assert.notInclude((yield* Fiber.join(first)).detail, "it broke")
      yield* TestClock.adjust("10 seconds")
      const second = yield* Effect.forkChild(Effect.flip(wait))
      yield* TestClock.adjust("16 seconds")
      assert.include((yield* Fiber.join(second)).detail, "it broke")
    }).pipe(Effect.scoped)
  )

  it.effect("goes on without it where it fails before anybody asks, by a defect too", () =>
    Effect.gen(function* () {
      let isBroken = true
      const begin = Effect.suspend(() =>
        isBroken ? Effect.die(new Error("It is broken.")) : Effect.void
      )
      const { isThere, now, wait } = yield* OnDemand.make(begin)
      yield* now
      assert.isFalse(isThere())
      assert.include((yield* Effect.flip(wait)).detail, "It is broken.")
      isBroken = false
      yield* wait
      assert.isTrue(isThere())
    }).pipe(Effect.scoped)
  )
})
