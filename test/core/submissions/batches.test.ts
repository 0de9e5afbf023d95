/** Submissions that are due together on one chain share what the network is asked, and nothing else. */
import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import * as Advance from "../../../core/submissions/advance.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import * as Rows from "../../support/rows.ts"
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
  Effect.flatMap(SubmissionQueue.claimAt(seconds), SubmissionQueue.advancedTogether)

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

it.effect("what was just handed over is looked at again soon, and then less and less often", () =>
  Effect.gen(function* () {
    const send = yield* confirmed
    const { inBatches } = yield* Advance.make
    const waits: Array<number> = []
    for (const [at, ms] of [0, 250, 250, 500].entries()) {
      yield* TestClock.adjust(ms)
      const due = yield* inBatches(yield* SubmissionQueue.claimAt(100 + at * 100))
      yield* Effect.forEach(due, Advance.advance, { discard: true })
      const { nextLookAt, status } = yield* submissionOf(send)
      assert.strictEqual(status, "submitted")
      if (nextLookAt === null) return assert.fail("it is closed")
      waits.push(Duration.toMillis(DateTime.distance(yield* DateTime.now, nextLookAt)))
    }
    // After a second it is handed over again, and left alone for as long as its chain usually is.
    assert.deepStrictEqual(waits, [250, 250, 500, 1000])
  }).pipe(Effect.scoped, Effect.provide(base))
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

it.effect("one whose end cannot be written fails alone, and is taken up again", () =>
  Effect.gen(function* () {
    const { mine } = yield* PayingWorld
    const [poisoned, ...others] = [yield* confirmed, yield* confirmed, yield* confirmed]
    yield* allAtOnce(100)
    yield* mine(4)
    const spending = yield* Spending
    let deaths = 0
    const poison: typeof spending = {
      ...spending,
      consume: (ids) =>
        Effect.suspend(() => {
          if (!ids.includes(poisoned.id)) return spending.consume(ids)
          deaths++
          return Effect.die(new Error("poisoned"))
        })
    }
    yield* Effect.exit(Effect.provideService(allAtOnce(200), Spending, poison))
    assert.strictEqual(deaths, 2)
    assert.strictEqual(yield* statusOf(poisoned), "executing")
    for (const other of others) assert.strictEqual(yield* statusOf(other), "completed")
    yield* allAtOnce(300)
    assert.strictEqual(yield* statusOf(poisoned), "completed")
  }).pipe(Effect.provide(base))
)

it.effect("a lease that is lost on the way loses its own row, and takes no nonce", () =>
  Effect.gen(function* () {
    const { mine } = yield* PayingWorld
    const sends = [yield* confirmed, yield* confirmed, yield* confirmed]
    const claimed = yield* SubmissionQueue.claimAt(100)
    const [lost] = sends
    const found = claimed.find(({ submission }) => submission.purpose.proposalId === lost?.id)
    if (lost === undefined || found === undefined) return assert.fail("it was not claimed")
    const { service } = yield* watched()
    const store = yield* SubmissionStore
    const taken = SubmissionQueue.conclude(found.lease, {
      ...found.submission,
      nextLookAt: DateTime.makeUnsafe(0)
    })
    const stealing: typeof service = {
      ...service,
      simulate: (authorization) =>
        Effect.andThen(
          authorization.from === found.submission.terms.from.toLowerCase()
            ? Effect.provideService(taken, SubmissionStore, store)
            : Effect.void,
          service.simulate(authorization)
        )
    }
    const kept = yield* Effect.provideService(
      SubmissionQueue.advancedTogether(claimed),
      EvmRelay,
      stealing
    )
    assert.deepStrictEqual(
      kept,
      claimed.map((each) => (each === found ? "lost" : "waiting"))
    )
    assert.isNull((yield* submissionOf(lost)).relayerSequence)
    const others = yield* Effect.forEach(sends.slice(1), submissionOf)
    assert.sameMembers(
      others.map(({ relayerSequence }) => relayerSequence),
      [0, 1]
    )
    yield* mine(4)
    yield* allAtOnce(200)
    assert.strictEqual((yield* submissionOf(lost)).relayerSequence, 2)
    yield* mine(4)
    yield* allAtOnce(300)
    for (const send of sends) assert.strictEqual(yield* statusOf(send), "completed")
  }).pipe(Effect.provide(base))
)

/** The relay that is there, which takes its time for each answer. */
const slowly = Effect.fnUntraced(function* (millis: number) {
  const relay = yield* EvmRelay
  const service: typeof relay = {
    ...relay,
    conditions: (chainId) => Effect.delay(relay.conditions(chainId), millis),
    authorize: (order) => Effect.delay(relay.authorize(order), millis),
    simulate: (authorization) => Effect.delay(relay.simulate(authorization), millis),
    wrap: (...of) => Effect.delay(relay.wrap(...of), millis),
    broadcast: (...of) => Effect.delay(relay.broadcast(...of), millis)
  }
  return service
})

/**
 * Some sends in hand and another one due; the worker is told of so many, and while its first claim is on its way. How long
 * the claim of the next ones waits, and how far the first is by then.
 */
const waitedFor = (
  relay: Effect.Success<ReturnType<typeof slowly>>,
  { inHand = 1, told = 0, toldMeanwhile = 0 } = {}
) =>
  Effect.gen(function* () {
    const begunMs = DateTime.toEpochMillis(Rows.at(100))
    yield* TestClock.setTime(begunMs)
    const [first] = yield* Effect.all(Array.from({ length: inHand }, () => confirmed))
    const { claim } = yield* Advance.make
    const { signal } = yield* Notifier
    const signalled = (times: number) =>
      Effect.all(Array.from({ length: times }, () => signal("submissions")))
    const store = yield* SubmissionStore
    const due = yield* Effect.provideService(claim(10), SubmissionStore, {
      ...store,
      claim: (asked) =>
        Effect.tap(store.claim(asked), () =>
          Effect.andThen(signalled(toldMeanwhile), Effect.repeat(Effect.yieldNow, { times: 5 }))
        )
    })
    if (first === undefined || due.length < inHand) return assert.fail("nothing was due")
    const going = yield* Effect.forkChild(
      Effect.provideService(
        Effect.forEach(due, Advance.advance, { concurrency: "unbounded" }),
        EvmRelay,
        relay
      )
    )
    yield* confirmed
    yield* signalled(told)
    const next = yield* Effect.forkChild(claim(10))
    let waitedMs = 0
    while (next.pollUnsafe() === undefined && waitedMs < 2000) {
      yield* TestClock.adjust("5 millis")
      waitedMs += 5
    }
    assert.lengthOf(yield* Fiber.join(next), 1)
    const { status } = yield* submissionOf(first)
    yield* Fiber.interrupt(going)
    return { status, waitedMs }
  }).pipe(Effect.scoped)

it.effect("the next are claimed once those in hand are through, however long each step takes", () =>
  Effect.gen(function* () {
    const { status, waitedMs } = yield* waitedFor(yield* slowly(20))
    assert.strictEqual(status, "submitted")
    assert.isAbove(waitedMs, 80)
    assert.isBelow(waitedMs, 500)
  }).pipe(Effect.provide(base))
)

it.effect(
  "as many as are in hand, or worth a turn, are claimed beside them, and fewer are not",
  () =>
    Effect.gen(function* () {
      const relay = yield* slowly(20)
      const beside = yield* waitedFor(relay, { told: 1 })
      assert.strictEqual(beside.status, "prepared")
      assert.isAtMost(beside.waitedMs, 5)
      const meanwhile = yield* waitedFor(relay, { toldMeanwhile: 1 })
      assert.strictEqual(meanwhile.status, "prepared")
      const many = yield* waitedFor(relay, { inHand: 9, told: 8 })
      assert.strictEqual(many.status, "prepared")
      const behind = yield* waitedFor(relay, { inHand: 9, told: 7 })
      assert.strictEqual(behind.status, "submitted")
      assert.isAbove(behind.waitedMs, 80)
    }).pipe(Effect.provide(base))
)

it.effect("one that hangs holds up the next claim for a moment, once", () =>
  Effect.gen(function* () {
    const { status, waitedMs } = yield* waitedFor({
      ...(yield* EvmRelay),
      authorize: () => Effect.never
    })
    assert.strictEqual(status, "prepared")
    assert.isAtMost(waitedMs, 60)
  }).pipe(Effect.provide(base))
)
