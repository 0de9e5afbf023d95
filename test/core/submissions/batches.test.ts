/** Submissions that are due together on one chain share what the network is asked, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { advance, inBatches } from "../../../core/submissions/advance.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import { confirmed, statusOf, submissionOf } from "../../support/send-steps.ts"
import { PayingWorld } from "../../support/sending-chain.ts"
import { identified } from "../../support/signing-policies.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const base = Layer.suspend(() => Layer.mergeAll(world, Memory.layer(), identified, registries))

/** The relay that is there, which counts what it is asked and may be silent about a signature. */
const watched = Effect.fnUntraced(function* (isSilent: (from: string) => boolean = () => false) {
  let asked = 0
  const relay = yield* EvmRelay
  const service: typeof relay = {
    ...relay,
    conditions: (chainId) =>
      Effect.suspend(() => {
        asked++
        return relay.conditions(chainId)
      }),
    authorize: (order) => (isSilent(order.from) ? Effect.never : relay.authorize(order))
  }
  return { asked: () => asked, service }
})

const allAtOnce = (seconds: number) =>
  Effect.flatMap(Effect.flatMap(SubmissionQueue.claimAt(seconds), inBatches), (due) =>
    Effect.forEach(due, advance, { concurrency: "unbounded", discard: true })
  )

it.effect("the fees, the time and the relayer's counts are asked once for all of them", () =>
  Effect.gen(function* () {
    const { mine } = yield* PayingWorld
    const sends = yield* Effect.all(Array.from({ length: 20 }, () => confirmed))
    const { asked, service } = yield* watched()
    yield* Effect.provideService(allAtOnce(100), EvmRelay, service)
    assert.strictEqual(asked(), 1)
    const nonces = yield* Effect.forEach(sends, submissionOf)
    assert.sameMembers(
      nonces.map(({ relayerSequence }) => relayerSequence),
      sends.map((_, at) => at)
    )
    yield* mine(4)
    yield* Effect.provideService(allAtOnce(200), EvmRelay, service)
    assert.strictEqual(asked(), 1)
    for (const send of sends) assert.strictEqual(yield* statusOf(send), "completed")
  }).pipe(Effect.provide(base))
)

it.effect("one that hangs holds up no other", () =>
  Effect.gen(function* () {
    const { mine } = yield* PayingWorld
    const [hanging, ...others] = [yield* confirmed, yield* confirmed, yield* confirmed]
    const { from } = (yield* submissionOf(hanging)).terms
    const { service } = yield* watched((each) => each === from)
    const fiber = yield* Effect.forkChild(Effect.provideService(allAtOnce(100), EvmRelay, service))
    yield* TestClock.adjust("1 second")
    for (const other of others) {
      assert.strictEqual((yield* submissionOf(other)).status, "submitted")
    }
    assert.strictEqual((yield* submissionOf(hanging)).status, "prepared")
    yield* Fiber.interrupt(fiber)
    yield* mine(4)
    yield* allAtOnce(200)
    yield* mine(4)
    yield* allAtOnce(300)
    for (const send of [hanging, ...others]) {
      assert.strictEqual(yield* statusOf(send), "completed")
    }
  }).pipe(Effect.provide(base))
)
