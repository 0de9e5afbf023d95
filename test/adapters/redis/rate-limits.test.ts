/** Rate limits in a real Redis keep the contract, are one for all processes, and outlive it when it goes away. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Schedule } from "effect"
import * as Memory from "../../../adapters/memory/rate-limits.ts"
import * as Redis from "../../../adapters/redis/rate-limits.ts"
import { RateLimits } from "../../../core/operation/rate-limits.ts"
import { suite } from "../../contracts/rate-limits.contract.ts"
import { describeOnRedis, redisServer } from "../../support/redis-server.ts"
import * as ShiftedClock from "../../support/shifted-clock.ts"

const limits = { reads: 3, writes: 2, quotes: 2, confirms: 2, failures: 2, anonymous: 2 }

const server = Effect.acquireRelease(
  Effect.promise(async () => {
    const redis = await redisServer()
    await redis.start()
    return redis
  }),
  (redis) => Effect.promise(redis.stop)
)

const processOn = (url: string) =>
  Redis.layer({ url, limits }).pipe(Layer.provide(Memory.layer(limits)))

describeOnRedis("on a real Redis", () =>
  suite("Redis", Layer.unwrap(Effect.map(server, ({ url }) => processOn(url))))
)

/** One process on it, with its own connection. */
const opened = (url: string) =>
  Effect.map(Layer.build(Layer.fresh(processOn(url))), (all) => Context.get(all, RateLimits))

describeOnRedis("budgets that replicas share", () => {
  it.effect("replicas that draw at once from one rate limit draw it once", () =>
    Effect.gen(function* () {
      const { url } = yield* server
      const [one, other] = [yield* opened(url), yield* opened(url)]
      const allowances = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? one : other)),
        ({ consume }) => consume("key-1", "reads"),
        { concurrency: "unbounded" }
      )
      const left = allowances.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)
      assert.deepStrictEqual(
        left.toSorted((a, b) => b - a),
        [2, 1, 0]
      )
      yield* one.consumeClient("192.0.2.7", "failed_keys")
      yield* other.consumeClient("192.0.2.7", "failed_keys")
      assert.isFalse((yield* one.allowanceOf("192.0.2.7", "failed_keys")).allowed)
    }).pipe(Effect.scoped)
  )
})

const often = { schedule: Schedule.spaced("50 millis") }

/** Longer than a process that found no Redis asks it nothing. */
const restMs = 2_100

/** The minute has just begun, so that no rate limit is whole again before the test is over. */
const atTheFullMinute = (aheadMs: () => number) =>
  Effect.suspend(() => {
    const late = performance.timeOrigin + performance.now()
    return Effect.succeed(ShiftedClock.provide((realMs) => realMs - (late % 60_000) + aheadMs()))
  })

const outage = Effect.fnUntraced(function* (passes: (ms: number) => void) {
  const redis = yield* server
  const said: Array<string> = []
  const log = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
  const heard = (words: string) => said.filter((each) => each.includes(words)).length
  const one = yield* opened(redis.url)
  const other = yield* opened(redis.url)
  for (const [nth, { go, back }] of [
    { go: redis.freeze, back: redis.goOn },
    { go: redis.stop, back: redis.start }
  ].entries()) {
    yield* Effect.promise(async () => go())
    const startedAt = performance.now()
    const allowances = yield* Effect.provide(
      Effect.replicateEffect(one.consume(`key ${nth}`, "confirms"), 5),
      log
    )
    // One of them waited for an answer; the others did not ask any more.
    assert.isBelow(performance.now() - startedAt, 1_500)
    assert.deepStrictEqual(
      allowances.map(({ allowed }) => allowed),
      [true, true, false, false, false]
    )
    assert.strictEqual(heard("does not respond"), nth + 1)
    yield* Effect.promise(async () => back())
    passes(restMs)
    yield* Effect.repeat(Effect.provide(one.allowanceOf("nobody", "failed_keys"), log), {
      ...often,
      until: () => heard("responds again") === nth + 1
    })
    const client = `192.0.2.${nth}`
    yield* Effect.replicateEffect(one.consumeClient(client, "failed_keys"), 2)
    yield* Effect.repeat(other.allowanceOf(client, "failed_keys"), {
      ...often,
      until: ({ allowed }) => !allowed
    })
  }
})

describeOnRedis("an outage of Redis", () => {
  it.live(
    "while Redis hangs or is gone each process counts alone, says so once, then shares again",
    () =>
      Effect.suspend(() => {
        let aheadMs = 0
        const passes = (ms: number) => {
          aheadMs += ms
        }
        return Effect.flatMap(
          atTheFullMinute(() => aheadMs),
          (shifted) => shifted(Effect.scoped(outage(passes)))
        )
      })
  )
})
