/** What every store of the contracts behind USDC must do: accept the first, tell one of what is new, and never go back. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { UsdcImplementations } from "../../core/tokens/usdc-implementation-store.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import * as Rows from "../support/rows.ts"

const [one, other] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`]

export const suite = (name: string, stores: Layer.Layer<AnyStore>) =>
  layer(stores)(`${name}: contracts behind USDC`, (it) => {
    it.effect("the first that is seen is accepted, and nothing new", () =>
      Effect.gen(function* () {
        const { find, see } = yield* UsdcImplementations
        const chainId = Rows.aChainId()
        assert.isUndefined(yield* find(chainId))
        assert.isFalse(yield* see(chainId, one, Rows.at(1)))
        const first = { chainId, accepted: one, seen: one, seenAt: Rows.at(1) }
        assert.deepStrictEqual(yield* find(chainId), first)
        assert.isFalse(yield* see(chainId, one, Rows.at(2)))
        assert.deepStrictEqual(yield* find(chainId), { ...first, seenAt: Rows.at(2) })
        assert.isUndefined(yield* find(Rows.aChainId()))
      })
    )

    it.effect("another one is told to one of many that see it, and accepted by nobody", () =>
      Effect.gen(function* () {
        const { find, see } = yield* UsdcImplementations
        const chainId = Rows.aChainId()
        yield* see(chainId, one, Rows.at(1))
        const told = yield* Effect.all(
          [2, 2, 2].map((seconds) => see(chainId, other, Rows.at(seconds))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          told.filter((isNew) => isNew),
          1
        )
        assert.isFalse(yield* see(chainId, other, Rows.at(3)))
        const changed = { chainId, accepted: one, seen: other, seenAt: Rows.at(3) }
        assert.deepStrictEqual(yield* find(chainId), changed)
        assert.isTrue(yield* see(chainId, one, Rows.at(4)), "back again")
        assert.deepInclude(yield* find(chainId), { accepted: one, seen: one })
      })
    )

    it.effect("a look that is older than the last one changes nothing", () =>
      Effect.gen(function* () {
        const { find, see } = yield* UsdcImplementations
        const chainId = Rows.aChainId()
        yield* see(chainId, one, Rows.at(5))
        for (const seconds of [4, 5]) {
          assert.isFalse(yield* see(chainId, other, Rows.at(seconds)))
          assert.isFalse(yield* see(chainId, one, Rows.at(seconds)))
        }
        assert.deepInclude(yield* find(chainId), { seen: one, seenAt: Rows.at(5) })
      })
    )

    it.effect("only what was seen last is accepted, on its own chain", () =>
      Effect.gen(function* () {
        const { accept, find, see } = yield* UsdcImplementations
        const [chainId, elsewhere] = [Rows.aChainId(), Rows.aChainId()]
        for (const each of [chainId, elsewhere]) {
          yield* see(each, one, Rows.at(1))
          yield* see(each, other, Rows.at(2))
        }
        assert.isFalse(yield* accept(chainId, one))
        assert.isFalse(yield* accept(Rows.aChainId(), one))
        assert.isTrue(yield* accept(chainId, other))
        assert.deepInclude(yield* find(chainId), { accepted: other, seen: other })
        assert.deepInclude(yield* find(elsewhere), { accepted: one, seen: other })
      })
    )
  })
