/** What the worker of deliveries does with an endpoint it holds, on memory stores and a clock of its own. */
import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { WebhookSenderScript } from "../../../adapters/memory/webhook-sender.ts"
import { PollInterval } from "../../../core/background/loop.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import { Secrets } from "../../../core/ports/secrets.ts"
import { deliver } from "../../../core/webhooks/deliver.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import { secretPlace } from "../../../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../../../core/webhooks/endpoint-store.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** The same call, and how often it was made. */
const counted = <Args extends ReadonlyArray<unknown>, A>(
  call: (...args: Args) => Effect.Effect<A>
) => {
  const seen = { count: 0 }
  const counting = (...args: Args) =>
    Effect.suspend(() => {
      seen.count += 1
      return call(...args)
    })
  return Object.assign(counting, { seen })
}

const url = "https://merchant.example.com/webhooks"

/** An endpoint with a secret that opens, whose receiver answers after so long. */
const anEndpoint = Effect.fnUntraced(function* (delayMs: number) {
  const { id: accountId } = yield* Stored.account()
  const row = Rows.anEndpoint(accountId, { url })
  const sealedSecret = yield* (yield* Secrets).seal(secretPlace(row), "whsec_test")
  const endpoint = { ...row, sealedSecret }
  yield* (yield* WebhookEndpoints).register(endpoint)
  yield* (yield* WebhookSenderScript).route(url, { _tag: "answers", status: 200, delayMs })
  return endpoint
})

const carried = Effect.flatMap(WebhookSenderScript, ({ captured }) =>
  Effect.map(captured, (all) => all.length)
)

const hint = Effect.flatMap(Notifier, ({ signal }) => signal("deliveries"))

const started = TestClock.setTime(Rows.at(100).epochMilliseconds)

it.effect("an endpoint has at most four under way, and an answer makes place for the next", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(2000)
    yield* DeliveryQueue.queued(endpoint, Array(10).fill(0))
    yield* Effect.forkChild(deliver)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* carried, 4)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* carried, 8)
    yield* TestClock.adjust("4 seconds")
    assert.strictEqual(yield* carried, 10)
    const listed = yield* (yield* Deliveries).list(endpoint.accountId, {}, { limit: 20 })
    for (const { status } of listed.rows) assert.strictEqual(status, "delivered")
    assert.sameMembers(
      listed.rows.map(({ sequence }) => Number(sequence)),
      Array.from({ length: 10 }, (_, at) => at + 1)
    )
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("what comes for an endpoint is sent at once beside an attempt that hangs", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(9000)
    yield* DeliveryQueue.queued(endpoint, [0])
    yield* Effect.forkChild(deliver)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* carried, 1)
    yield* DeliveryQueue.queued(endpoint, [0])
    yield* hint
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* carried, 2)
    // Nobody hints, and it is found all the same.
    yield* DeliveryQueue.queued(endpoint, [0])
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* carried, 3)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect(
  "a process that stops gives its endpoints back, and one that is done has given them",
  () =>
    Effect.gen(function* () {
      yield* started
      const endpoint = yield* anEndpoint(9000)
      yield* DeliveryQueue.queued(endpoint, [0])
      const stopping = yield* Effect.forkChild(deliver)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* DeliveryQueue.claimAt(101), [])
      yield* Fiber.interrupt(stopping)
      const [taken] = yield* DeliveryQueue.claimAt(101)
      assert.strictEqual(taken?.delivery.sequence, 1)
      yield* (yield* Deliveries).release(DeliveryQueue.heldBy(taken === undefined ? [] : [taken]))
      yield* Effect.forkChild(deliver)
      yield* TestClock.adjust("10 seconds")
      yield* DeliveryQueue.queued(endpoint, [500])
      assert.lengthOf(yield* DeliveryQueue.claimAt(500), 1)
    }).pipe(Effect.provide(memoryTreasury))
)

it.effect("what becomes due while the next due is looked for is sent at once", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(10)
    yield* DeliveryQueue.queued(endpoint, [100.5])
    const deliveries = yield* Deliveries
    const slow: Deliveries["Service"] = {
      ...deliveries,
      nextDue: (...asked) => Effect.delay(deliveries.nextDue(...asked), "1 second")
    }
    const working = Effect.provideService(deliver, PollInterval, Duration.hours(1))
    yield* Effect.forkChild(Effect.provideService(working, Deliveries, slow))
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* carried, 1)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("what cannot be written down is sent again only after its lease", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(10)
    yield* DeliveryQueue.queued(endpoint, [0])
    const deliveries = yield* Deliveries
    const broken = { ...deliveries, conclude: () => Effect.die(new Error("away")) }
    yield* Effect.forkChild(Effect.provideService(deliver, Deliveries, broken))
    yield* TestClock.adjust("4 seconds")
    assert.strictEqual(yield* carried, 1)
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(yield* carried, 2)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a database that is away while all is answered leaves no endpoint behind", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(1000)
    yield* DeliveryQueue.queued(endpoint, Array(6).fill(0))
    const deliveries = yield* Deliveries
    let isAway = false
    const failing = (after: "1 second" | "2 seconds") =>
      Effect.andThen(Effect.sleep(after), Effect.die(new Error("away")))
    // More is asked for as the first answers come, and the claim fails when all of them have ended.
    const unsteady: Deliveries["Service"] = {
      ...deliveries,
      claim: (claim) =>
        Effect.suspend(() => (isAway ? failing("2 seconds") : deliveries.claim(claim))),
      conclude: (...result) =>
        Effect.suspend(() => (isAway ? failing("1 second") : deliveries.conclude(...result)))
    }
    yield* Effect.forkChild(Effect.provideService(deliver, Deliveries, unsteady))
    yield* TestClock.adjust("500 millis")
    assert.strictEqual(yield* carried, 4)
    isAway = true
    yield* TestClock.adjust("5 seconds")
    isAway = false
    yield* TestClock.adjust("20 seconds")
    const { rows } = yield* deliveries.list(endpoint.accountId, {}, { limit: 9 })
    for (const { status } of rows) assert.strictEqual(status, "delivered")
  }).pipe(Effect.provide(memoryTreasury))
)

/** A database that can stand still. What it was told meanwhile it does once it goes on, whoever still listens, and by its own clock. */
const stopping = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const goesOn = yield* Latch.make(true)
  const late =
    <Asked, A>(call: (asked: Asked) => Effect.Effect<A>) =>
    (asked: Asked) =>
      goesOn.await.pipe(
        Effect.andThen(DateTime.now),
        Effect.flatMap((now) => call({ ...asked, now })),
        Effect.forkDetach,
        Effect.flatMap(Fiber.join)
      )
  const database: Deliveries["Service"] = {
    ...deliveries,
    claim: late(deliveries.claim),
    renew: late(deliveries.renew),
    release: (held) => Effect.andThen(goesOn.await, deliveries.release(held)),
    conclude: (...result) =>
      Effect.uninterruptible(Effect.andThen(goesOn.await, deliveries.conclude(...result))),
    nextDue: (...asked) => Effect.andThen(goesOn.await, deliveries.nextDue(...asked))
  }
  const working = Effect.provideService(deliver, PollInterval, Duration.hours(1))
  yield* Effect.forkChild(Effect.provideService(working, Deliveries, database))
  return { standStill: goesOn.close, goOn: goesOn.open }
})

it.effect("what a late claim took is given back, and sent while its lease would last", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(10)
    const { goOn, standStill } = yield* stopping
    yield* TestClock.adjust("1 second")
    yield* DeliveryQueue.queued(endpoint, [0])
    yield* standStill
    yield* hint
    yield* TestClock.adjust("6 seconds")
    yield* goOn
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* carried, 1)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("what was given up is given back once all that was sent of it is written down", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(1000)
    const { goOn, standStill } = yield* stopping
    yield* DeliveryQueue.queued(endpoint, Array(6).fill(0))
    yield* TestClock.adjust("500 millis")
    assert.strictEqual(yield* carried, 4)
    yield* standStill
    yield* TestClock.adjust("6 seconds")
    yield* goOn
    // In steps, as one follows from the other.
    yield* Effect.repeat(TestClock.adjust("100 millis"), { times: 20 })
    assert.strictEqual(yield* carried, 6)
    const { rows } = yield* (yield* Deliveries).list(endpoint.accountId, {}, { limit: 9 })
    for (const { status } of rows) assert.strictEqual(status, "delivered")
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect(
  "what was given up while a receiver had not answered is sent again only after its lease",
  () =>
    Effect.gen(function* () {
      yield* started
      const endpoint = yield* anEndpoint(9000)
      const { goOn, standStill } = yield* stopping
      yield* DeliveryQueue.queued(endpoint, [0])
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* carried, 1)
      yield* standStill
      yield* TestClock.adjust("6 seconds")
      yield* goOn
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* carried, 1)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* carried, 2)
    }).pipe(Effect.provide(memoryTreasury))
)

it.effect(
  "whoever finds nothing behind hints leaves the next to others, for a tenth of a second",
  () =>
    Effect.gen(function* () {
      yield* started
      const endpoint = yield* anEndpoint(10)
      const deliveries = yield* Deliveries
      const claim = counted(deliveries.claim)
      const nextDue = counted(deliveries.nextDue)
      const counting: Deliveries["Service"] = { ...deliveries, claim, nextDue }
      yield* Effect.forkChild(Effect.provideService(deliver, Deliveries, counting))
      yield* TestClock.adjust("500 millis")
      const before = claim.seen.count + nextDue.seen.count
      // Others take what these tell of.
      for (let told = 0; told < 40; told++) {
        yield* hint
        yield* TestClock.adjust("10 millis")
      }
      assert.isAtMost(claim.seen.count + nextDue.seen.count - before, 16)
      yield* DeliveryQueue.queued(endpoint, [0])
      yield* hint
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(yield* carried, 1)
    }).pipe(Effect.provide(memoryTreasury))
)

it.effect("endpoints that are held are asked for in turn while some get more all the time", () =>
  Effect.gen(function* () {
    yield* started
    const all = yield* Effect.forEach(Array(20).fill(100), anEndpoint)
    const [busy, others] = [all.slice(0, 7), all.slice(7)]
    const deliveries = yield* Deliveries
    // As slow as a database, so that there is a hint during each claim.
    const slow: Deliveries["Service"] = {
      ...deliveries,
      claim: (claim) => Effect.delay(deliveries.claim(claim), "10 millis")
    }
    yield* Effect.forEach(all, (endpoint) => DeliveryQueue.queued(endpoint, [0]))
    yield* Effect.forkChild(Effect.provideService(deliver, Deliveries, slow))
    yield* TestClock.adjust("50 millis")
    for (const other of others) {
      yield* DeliveryQueue.queued(other, [0])
      for (const endpoint of busy) {
        yield* DeliveryQueue.queued(endpoint, [0])
        yield* hint
        yield* TestClock.adjust("5 millis")
      }
    }
    // But for those of the last claims, they all were sent.
    assert.isAtLeast(yield* carried, all.length + others.length * (1 + busy.length) - 8)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a secret is opened once while its endpoint is held, and anew once it was changed", () =>
  Effect.gen(function* () {
    yield* started
    const endpoint = yield* anEndpoint(10)
    const secrets = yield* Secrets
    const open = counted(secrets.open)
    yield* DeliveryQueue.queued(endpoint, Array(30).fill(0))
    yield* Effect.forkChild(Effect.provideService(deliver, Secrets, { ...secrets, open }))
    yield* TestClock.adjust("25 millis")
    assert.strictEqual(open.seen.count, 1)
    const sealedSecret = yield* secrets.seal(secretPlace(endpoint), "whsec_other")
    yield* (yield* WebhookEndpoints).revise({ ...endpoint, sealedSecret })
    yield* TestClock.adjust("1 second")
    assert.strictEqual(open.seen.count, 2)
    const sent = yield* (yield* WebhookSenderScript).captured
    assert.lengthOf(sent, 30)
    const { body, headers } = sent.at(-1) ?? assert.fail("Nothing was sent")
    const timestamp = headers["svc-webhook-timestamp"]
    const signature = `v1=${secrets.sign("whsec_other", `${timestamp}.${body}`)}`
    assert.strictEqual(headers["svc-webhook-signature"], signature)
  }).pipe(Effect.provide(memoryTreasury))
)
