/** What every source of identifiers must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { Ids } from "../../core/ports/ids.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u

export const suite = (name: string, ids: Layer.Layer<Ids>) =>
  layer(ids)(`${name}: ids`, (it) => {
    it.effect("ids are UUIDs in lower case, and none comes twice", () =>
      Effect.gen(function* () {
        const many = yield* Effect.replicateEffect((yield* Ids).uuid, 5000)
        assert.isTrue(many.every((id) => uuid.test(id)))
        assert.strictEqual(new Set(many).size, many.length)
      })
    )

    it.effect("a later id sorts after an earlier one, within one millisecond too", () =>
      Effect.gen(function* () {
        const ids = yield* Ids
        const many: Array<string> = []
        for (let turn = 0; turn < 20; turn++) {
          many.push(...(yield* Effect.replicateEffect(ids.uuid, 100)))
          yield* TestClock.adjust("1 millis")
        }
        assert.deepStrictEqual([...many].sort(), many)
      })
    )

    it.effect("random text has the length asked for and uses all of base62", () =>
      Effect.gen(function* () {
        const { base62 } = yield* Ids
        const text = yield* base62(5000)
        assert.match(text, /^[0-9A-Za-z]{5000}$/u)
        assert.strictEqual(new Set(text).size, 62)
        assert.strictEqual(yield* base62(0), "")
        assert.notStrictEqual(yield* base62(22), yield* base62(22))
      })
    )

    it.effect("random bytes have the length asked for and do not repeat", () =>
      Effect.gen(function* () {
        const { bytes } = yield* Ids
        const [one, two] = [yield* bytes(32), yield* bytes(32)]
        assert.strictEqual(one.length, 32)
        assert.notDeepEqual(one, two)
      })
    )

    it.effect("fractions fill the half-open unit interval", () =>
      Effect.gen(function* () {
        const many = yield* Effect.replicateEffect((yield* Ids).fraction, 2000)
        assert.isTrue(many.every((fraction) => fraction >= 0 && fraction < 1))
        assert.isTrue(many.some((fraction) => fraction < 0.1))
        assert.isTrue(many.some((fraction) => fraction > 0.9))
      })
    )
  })
