/** Whoever waits for the end of a proposal is woken by it, and asks the records no more often than they change. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { waitFor } from "../../../core/background/wait-for.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import { completed, confirmed } from "../../support/send-steps.ts"
import { identified } from "../../support/signing-policies.ts"

const ground = Layer.suspend(() => Layer.mergeAll(world, Memory.layer(), identified, registries))

const waiting = Effect.fnUntraced(function* () {
  let looks = 0
  const { accountId, id } = yield* confirmed
  const proposals = yield* Proposals
  const look = Effect.tap(proposals.find(accountId, id), () => Effect.sync(() => looks++))
  const fiber = yield* Effect.forkChild(
    waitFor("proposals", id, look, (seen, nowMs) =>
      seen?.status === "executing" ? 30_000 - nowMs : 0
    )
  )
  while (looks === 0) yield* Effect.yieldNow
  return { id, fiber, looks: () => looks }
})

it.effect("its end wakes whoever waits for it, and nobody else", () =>
  Effect.gen(function* () {
    const one = yield* waiting()
    const other = yield* waiting()
    const proposal = (yield* (yield* Proposals).lock(one.id)) ?? assert.fail("it is gone")
    yield* completed(proposal)
    // No time has passed: nobody looked on their own.
    assert.strictEqual((yield* Fiber.join(one.fiber))?.status, "completed")
    assert.strictEqual(one.looks(), 2)
    if (other.fiber.pollUnsafe() === undefined) assert.strictEqual(other.looks(), 1)
    yield* Fiber.interrupt(other.fiber)
  }).pipe(Effect.provide(ground))
)

it.effect("what was just told is not looked at again before a hint or a second", () =>
  Effect.gen(function* () {
    let looks = 0
    const look = Effect.sync(() => ++looks)
    const fiber = yield* Effect.forkChild(
      waitFor("proposals", "prop_1", look, (seen) => (seen === 0 ? 30_000 : 0), 0)
    )
    yield* TestClock.adjust("999 millis")
    assert.strictEqual(looks, 0)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Fiber.join(fiber), 1)
  }).pipe(Effect.provide(ground))
)

it.effect("a hint that is lost costs a second, and time that is up ends it", () =>
  Effect.gen(function* () {
    const notifier = yield* Notifier
    const { fiber, looks } = yield* Effect.provideService(waiting(), Notifier, {
      ...notifier,
      listen: () => Effect.succeed(Effect.never)
    })
    yield* TestClock.adjust("999 millis")
    assert.strictEqual(looks(), 1)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(looks(), 2)
    yield* TestClock.adjust("29 seconds")
    assert.strictEqual((yield* Fiber.join(fiber))?.status, "executing")
    assert.isAtMost(looks(), 32)
  }).pipe(Effect.provide(ground))
)
