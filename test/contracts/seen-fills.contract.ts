/** What every store of how far fills were read must do: keep what was read of each wallet, and never go back. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { SeenFills } from "../../core/swaps/seen-fills-store.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import * as Rows from "../support/rows.ts"

const seenTo = (number: number, unrecorded: ReadonlyArray<string> = []) => ({
  from: 3,
  through: { number, hash: `block ${number}` },
  unrecorded: unrecorded.map((orderId) => ({ orderId, place: [orderId, "0x1"] }))
})

export const suite = (name: string, stores: Layer.Layer<AnyStore>) =>
  layer(stores)(`${name}: how far fills were read`, (it) => {
    it.effect("is kept of each wallet of each chain, with what no record had signed", () =>
      Effect.gen(function* () {
        const { find, keep } = yield* SeenFills
        const [owner, other] = [Rows.anAddressKey(), Rows.anAddressKey()]
        assert.isUndefined(yield* find("local", owner))
        yield* keep("local", owner, seenTo(7, ["one", "two"]))
        yield* keep("local", other, seenTo(8))
        yield* keep("local-2", owner, seenTo(9))
        assert.deepStrictEqual(yield* find("local", owner), seenTo(7, ["one", "two"]))
        assert.deepStrictEqual(yield* find("local", other), seenTo(8))
        assert.deepStrictEqual(yield* find("local-2", owner), seenTo(9))
      })
    )

    it.effect("only moves on, whoever writes it last", () =>
      Effect.gen(function* () {
        const { find, keep } = yield* SeenFills
        const owner = Rows.anAddressKey()
        yield* keep("local", owner, seenTo(7, ["one"]))
        for (const number of [6, 7]) {
          yield* keep("local", owner, { ...seenTo(number), from: 0 })
          assert.deepStrictEqual(yield* find("local", owner), seenTo(7, ["one"]))
        }
        const all = [8, 10, 9].map((number) => keep("local", owner, seenTo(number)))
        yield* Effect.all(all, { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* find("local", owner), seenTo(10))
      })
    )
  })
