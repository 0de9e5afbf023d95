/** A key and a rate limit that are at hand are taken without waiting, and are what waiting would have found. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Tracer } from "effect"
import { Keys } from "../../../core/accounts/account-store.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { RateLimits } from "../../../core/operation/rate-limits.ts"
import * as Spans from "../../../core/operation/spans.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Secrets } from "../../../core/ports/secrets.ts"
import * as Treasury from "../../support/small-treasury.ts"
import { everyScope, issued } from "../../support/small-treasury.ts"

const atHand = Effect.fnUntraced(function* (text: string) {
  const digest = (yield* Secrets).digest(text)
  const nowMs = DateTime.toEpochMillis(yield* DateTime.now)
  return (yield* Keys).atHand?.(digest, nowMs)
})

it.effect("what is at hand of a key is what the store finds, revoked or not", () =>
  Effect.gen(function* () {
    const text = yield* issued(everyScope)
    const { accountId, keyId } = yield* authenticate(text)
    const keys = yield* Keys
    assert.deepStrictEqual(yield* atHand(text), yield* keys.find(accountId, keyId))
    yield* keys.revoke(accountId, keyId, yield* DateTime.now)
    assert.isNotNull((yield* atHand(text))?.revokedAt)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(authenticate(text))))
  }).pipe(Effect.provide(Treasury.layer()))
)

it.effect("nothing is at hand while a transaction is under way, which may be undone", () =>
  Effect.gen(function* () {
    const text = yield* issued(everyScope)
    const { accountId, keyId } = yield* authenticate(text)
    const { run } = yield* Atomically
    const undone = Effect.gen(function* () {
      yield* (yield* Keys).revoke(accountId, keyId, yield* DateTime.now)
      assert.isUndefined(yield* atHand(text))
      return yield* Effect.fail("no")
    })
    assert.deepStrictEqual(yield* Effect.exit(run(undone)), Exit.fail("no"))
    assert.isNull((yield* atHand(text))?.revokedAt)
    assert.strictEqual((yield* authenticate(text)).keyId, keyId)
  }).pipe(Effect.provide(Treasury.layer()))
)

it.effect("a call that is counted at hand counts with all others", () =>
  Effect.gen(function* () {
    const limits = yield* RateLimits
    const nowMs = DateTime.toEpochMillis(yield* DateTime.now)
    const before = yield* limits.consume("key", "reads")
    assert.strictEqual(limits.atHand?.("key", "reads", nowMs).remaining, before.remaining - 1)
    assert.strictEqual((yield* limits.consume("key", "reads")).remaining, before.remaining - 2)
  }).pipe(Effect.provide(Treasury.layer()))
)

it.effect("where spans are made, the effect of the port is asked, so that it has one", () =>
  Effect.gen(function* () {
    const text = yield* issued(everyScope)
    const names: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        names.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    const ports = Spans.over(Layer.effectContext(Effect.context<Keys | RateLimits>()))
    yield* authenticate(text).pipe(
      Effect.provide(Layer.merge(ports, Layer.succeed(Tracer.Tracer, tracer)))
    )
    assert.include(names, "Keys.findByDigest")
  }).pipe(Effect.provide(Treasury.layer()))
)
