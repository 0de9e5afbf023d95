/** The key over the data key is changed in one step that may fail anywhere, and no other key opens it. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import * as DataKey from "../../../adapters/secrets/data-key.ts"
import type { Keyring } from "../../../adapters/secrets/keyring.ts"

const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))

const ring = (current: number, previous?: number): Keyring => ({
  keyEncryptionKey: key(current),
  pepper: key(99),
  ...(previous === undefined ? {} : { previousKeyEncryptionKey: key(previous) })
})

/** A keyStore that several processes share; what it does around a write is the test's. */
const shelfOf = () => {
  const state = { wrapped: undefined as string | undefined, writes: 0 }
  const keyStore: DataKey.KeyStore<never> = {
    keep: (wrapped) => Effect.sync(() => (state.wrapped ??= wrapped)),
    replace: (wrapped, by) =>
      Effect.sync(() => {
        if (state.wrapped !== wrapped) return false
        state.wrapped = by
        state.writes++
        return true
      })
  }
  return { keyStore, state }
}

const bytesOf = ({ dataKey }: DataKey.Opened) =>
  Buffer.from(Redacted.value(dataKey)).toString("hex")

it.effect("the data key stays the same however often the key over it is changed", () =>
  Effect.gen(function* () {
    const { keyStore, state } = shelfOf()
    const first = yield* DataKey.open(ring(1), keyStore)
    const tags: Array<string> = []
    for (const [current, previous] of [[2, 1], [2, 1], [2], [3, 2], [3]] as const) {
      const opened = yield* DataKey.open(ring(current, previous), keyStore)
      assert.strictEqual(bytesOf(opened), bytesOf(first))
      tags.push(opened._tag)
    }
    assert.deepStrictEqual(tags, ["rotated", "current", "current", "rotated", "current"])
    assert.strictEqual(state.writes, 2)
  })
)

it.effect("a key that opens nothing is refused with what to look at, and changes nothing", () =>
  Effect.gen(function* () {
    const { keyStore, state } = shelfOf()
    yield* DataKey.open(ring(1), keyStore)
    const { wrapped } = state
    for (const wrong of [ring(2), ring(2, 3)]) {
      const { message } = yield* Effect.flip(DataKey.open(wrong, keyStore))
      assert.include(message, "BURSAR_KEY_ENCRYPTION_KEY")
      assert.include(message, "BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY")
      assert.strictEqual(state.wrapped, wrapped)
    }
    yield* DataKey.open(ring(2, 1), keyStore)
    const { message } = yield* Effect.flip(DataKey.open(ring(1), keyStore))
    assert.include(message, "cannot decrypt the data key")
    assert.strictEqual((yield* DataKey.open(ring(1, 2), keyStore))._tag, "rotated")
  })
)

it.effect("a crash on either side of the write leaves a data key that opens", () =>
  Effect.gen(function* () {
    const { keyStore } = shelfOf()
    const first = yield* DataKey.open(ring(1), keyStore)
    const dies = Effect.die(new Error("The process is gone."))
    const before = { ...keyStore, replace: () => dies }
    assert.isTrue(Exit.isFailure(yield* Effect.exit(DataKey.open(ring(2, 1), before))))
    assert.strictEqual(bytesOf(yield* DataKey.open(ring(1), keyStore)), bytesOf(first))
    const after: typeof keyStore = {
      ...keyStore,
      replace: (wrapped, by) => Effect.andThen(keyStore.replace(wrapped, by), dies)
    }
    assert.isTrue(Exit.isFailure(yield* Effect.exit(DataKey.open(ring(2, 1), after))))
    assert.strictEqual(bytesOf(yield* DataKey.open(ring(2), keyStore)), bytesOf(first))
  })
)
