/** A key that was refused is looked up once a minute at most, one that was made is looked up at once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Keys } from "../../../core/accounts/account-store.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import * as Key from "../../../core/accounts/key.ts"
import { maxRemembered, seenOf } from "../../../core/accounts/seen-keys.ts"
import { Secrets } from "../../../core/ports/secrets.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Treasury from "../../support/small-treasury.ts"
import { AccountId } from "../../support/small-treasury.ts"

const unknown = (number: number) =>
  Key.compose("developer", number.toString(36).padStart(Key.secretLength, "0"))

let looked = 0

const counting = Layer.effect(
  Keys,
  // Nothing is at hand, so that each look-up is seen.
  Effect.map(Keys, ({ atHand: _, ...keys }) => ({
    ...keys,
    findByDigest: (digest: string) =>
      Effect.andThen(
        Effect.sync(() => {
          looked += 1
        }),
        keys.findByDigest(digest)
      )
  }))
)

const layer = Layer.suspend(() => {
  looked = 0
  return counting.pipe(Layer.provideMerge(Treasury.layer()))
})

const tried = (text: string) => Effect.exit(authenticate(text))

it.effect("an unknown key costs one look-up a minute, and a mistyped one none", () =>
  Effect.gen(function* () {
    yield* Effect.replicateEffect(tried(unknown(1)), 5)
    assert.strictEqual(looked, 1)
    yield* Effect.replicateEffect(tried(unknown(1).replace(/.{6}$/u, "AAAAAA")), 5)
    assert.strictEqual(looked, 1)
    yield* TestClock.adjust("1 minute")
    yield* tried(unknown(1))
    assert.strictEqual(looked, 2)
  }).pipe(Effect.provide(layer))
)

it.effect("a key that was made lets every key be looked up again", () =>
  Effect.gen(function* () {
    yield* tried(unknown(1))
    const accountId = yield* AccountId
    const { apiKey } = yield* Accounts.issued({ accountId, kind: "developer" })
    assert.strictEqual((yield* authenticate(apiKey)).accountId, accountId)
    yield* tried(unknown(1))
    assert.strictEqual(looked, 3)
  }).pipe(Effect.provide(layer))
)

it.effect("no more refused keys are remembered than there is room for", () =>
  Effect.gen(function* () {
    for (let number = 0; number <= maxRemembered; number++) yield* tried(unknown(number))
    const before = looked
    yield* tried(unknown(maxRemembered))
    assert.strictEqual(looked, before)
    yield* tried(unknown(0))
    assert.strictEqual(looked, before + 1)
  }).pipe(Effect.provide(layer))
)

it.effect("a key in force is looked up with every call, and known from its first on", () =>
  Effect.gen(function* () {
    const key = yield* Treasury.issued(Treasury.everyScope)
    const seen = seenOf(yield* Keys)
    assert.isUndefined(seen.digestInForce(key))
    yield* Effect.replicateEffect(authenticate(key), 3)
    assert.strictEqual(seen.digestInForce(key), (yield* Secrets).digest(key))
    assert.strictEqual(looked, 3)
  }).pipe(Effect.provide(layer))
)
