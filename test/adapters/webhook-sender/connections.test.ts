/** Connections are kept alive, four at most per endpoint, and never shared between endpoints. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Outside from "./outside.ts"
import type * as Sink from "./sink.ts"

const many = (count: number) => Array.from({ length: count }, (_, n) => n)

it.live("parcels to one endpoint share connections", () =>
  Effect.gen(function* () {
    const { sink, url } = yield* Outside.open()
    const carry = yield* Outside.courierWith()
    const outcomes = yield* Effect.forEach(many(20), () =>
      Effect.map(carry(url("/hook")), Outside.outcome)
    )
    assert.deepStrictEqual(outcomes, Array(20).fill(200))
    assert.isAtMost(sink.connections(), 4)
  })
)

it.live("an endpoint is given four parcels at once, over four connections and no more", () =>
  Effect.gen(function* () {
    const waiting: Array<() => void> = []
    // Answers only once four wait, so that fewer at once would never end.
    const { sink, url } = yield* Outside.open((response) => {
      waiting.push(() => response.end("ok"))
      if (waiting.length === 4) for (const answer of waiting.splice(0)) answer()
    })
    const carry = yield* Outside.courierWith()
    const outcomes = yield* Effect.forEach(
      many(24),
      () => Effect.map(carry(url("/hook")), Outside.outcome),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(outcomes, Array(24).fill(200))
    assert.strictEqual(sink.connections(), 4)
  })
)

it.live("an endpoint that hangs takes nothing from another on the same host", () =>
  Effect.gen(function* () {
    const respond: Sink.Respond = (response, path) => {
      if (path === "/quick") response.end("ok")
    }
    const { url } = yield* Outside.open(respond)
    const carry = yield* Outside.courierWith({ deadlineMs: 3000 })
    yield* Effect.forEach(many(8), () => Effect.forkScoped(carry(url("/hangs"))))
    const reply = yield* carry(url("/quick"))
    assert.strictEqual(Outside.outcome(reply), 200)
    assert.isBelow(reply.durationMs, 2000)
  })
)

it.live("an endpoint that closes each connection is connected to again", () =>
  Effect.gen(function* () {
    const { sink, url } = yield* Outside.open((response) => {
      response.setHeader("connection", "close").end("ok")
    })
    const carry = yield* Outside.courierWith()
    const outcomes = yield* Effect.forEach(many(5), () =>
      Effect.map(carry(url("/hook")), Outside.outcome)
    )
    assert.deepStrictEqual(outcomes, Array(5).fill(200))
    assert.strictEqual(sink.connections(), 5)
  })
)

it.live("an endpoint that came back after it was away is reached again", () =>
  Effect.gen(function* () {
    let away = true
    const { url } = yield* Outside.open((response) => {
      if (away) response.socket?.destroy()
      else response.end("ok")
    })
    const carry = yield* Outside.courierWith()
    assert.strictEqual(Outside.outcome(yield* carry(url("/hook"))), "reset")
    away = false
    assert.strictEqual(Outside.outcome(yield* carry(url("/hook"))), 200)
  })
)

it.live("a parcel given up while it waited for a connection is not sent when there is one", () =>
  Effect.gen(function* () {
    const { sink, url } = yield* Outside.open()
    const address = Promise.withResolvers<ReadonlyArray<string>>()
    const bothWait = yield* Deferred.make<void>()
    let lookups = 0
    const carry = yield* Outside.courierWith({
      lookup: () => {
        if (++lookups === 2) Deferred.doneUnsafe(bothWait, Effect.void)
        return address.promise
      }
    })
    const givenUp = yield* Effect.forkScoped(carry(url("/hook"), "given up"))
    const kept = yield* Effect.forkScoped(carry(url("/hook"), "kept"))
    yield* Deferred.await(bothWait)
    yield* Fiber.interrupt(givenUp)
    address.resolve([Outside.publicAddress])
    assert.strictEqual(Outside.outcome(yield* Fiber.join(kept)), 200)
    yield* Effect.forEach(many(8), () => carry(url("/hook"), "later"))
    const bodies = sink.received.map(({ body }) => body.toString("utf8"))
    assert.deepStrictEqual(bodies, ["kept", ...Array(8).fill("later")])
  })
)
