/** What every connected chain must tell of blocks that stood and stand no more. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Usdc from "../../core/money/usdc.ts"
import { Chains } from "../../core/ports/chains.ts"
import {
  after,
  assertConsecutive,
  lookFrom,
  placeAtTip,
  tipOf,
  World
} from "../support/watched-chain.ts"

export const suite = (name: string, chain: Layer.Layer<Chains | World>) =>
  layer(chain)(`${name}: chains, reorganisations`, (it) => {
    it.effect("a reorganisation takes the place back to the highest block that stands", () =>
      Effect.gen(function* () {
        const { addressOf, chainId, pay, mine, reorg, skipsNumbers } = yield* World
        const { balances } = yield* Chains
        const start = yield* placeAtTip
        yield* mine(2)
        const lost = yield* pay(addressOf("1"), 10n)
        yield* mine(1)
        const place = after(start, yield* lookFrom(start))
        const tip = tipOf(place).number
        const stands = yield* reorg(2, [])
        if (!skipsNumbers) assert.strictEqual(stands, tip - 2)
        const sighting = yield* lookFrom(place)
        assert.strictEqual(sighting.commonNumber, stands)
        yield* assertConsecutive(stands, sighting.blocks)
        if (skipsNumbers) assert.isAbove(sighting.head, tip)
        else assert.strictEqual(sighting.head, tip)
        assert.notInclude(
          sighting.transfers.map(({ txHash }) => txHash),
          lost
        )
        assert.deepStrictEqual(yield* balances(chainId, [addressOf("1")]), [Usdc.make(0n)])
        const known = new Set(place.blocks.map(({ hash }) => hash))
        assert.isFalse(sighting.blocks.some(({ hash }) => known.has(hash)))
        const settled = yield* lookFrom(after(place, sighting))
        assert.strictEqual(settled.commonNumber, sighting.head)
      })
    )

    it.effect("a transaction that is mined again shows again, in its new block", () =>
      Effect.gen(function* () {
        const { addressOf, pay, reorg } = yield* World
        const [ada, ben] = [addressOf("a"), addressOf("b")]
        const start = yield* placeAtTip
        const kept = yield* pay(ada, 11n)
        const lost = yield* pay(ben, 12n)
        const first = yield* lookFrom(start)
        assert.deepStrictEqual(
          first.transfers.map(({ txHash }) => txHash),
          [kept, lost]
        )
        yield* reorg(2, [kept])
        const [again, ...more] = (yield* lookFrom(after(start, first))).transfers
        assert.lengthOf(more, 0)
        assert.strictEqual(again?.txHash, kept)
        assert.strictEqual(again?.to, ada)
        assert.strictEqual(again?.amountMicro, 11n)
        assert.notStrictEqual(again?.block.hash, first.transfers[0]?.block.hash)
      })
    )

    it.effect("a chain that went back to an older state is followed from there", () =>
      Effect.gen(function* () {
        const { addressOf, pay, mine, rollBack } = yield* World
        const ada = addressOf("a")
        const start = yield* placeAtTip
        yield* mine(3)
        const place = after(start, yield* lookFrom(start))
        const tip = tipOf(place).number
        const stands = yield* rollBack(2)
        assert.isBelow(stands, tip)
        const shorter = yield* lookFrom(place)
        assert.deepStrictEqual(
          [shorter.head, shorter.commonNumber, shorter.blocks, shorter.atHead],
          [stands, stands, [], true]
        )
        const txHash = yield* pay(ada, 13n)
        const sighting = yield* lookFrom(after(place, shorter))
        assert.strictEqual(sighting.commonNumber, stands)
        assert.deepStrictEqual(
          sighting.transfers.map((transfer) => transfer.txHash),
          [txHash]
        )
      })
    )

    it.effect("blocks that went back and came anew are taken in one look", () =>
      Effect.gen(function* () {
        const { mine, rollBack, skipsNumbers } = yield* World
        const start = yield* placeAtTip
        yield* mine(2)
        const place = after(start, yield* lookFrom(start))
        const tip = tipOf(place).number
        const stands = yield* rollBack(1)
        if (!skipsNumbers) assert.strictEqual(stands, tip - 1)
        yield* mine(4)
        const sighting = yield* lookFrom(place)
        assert.strictEqual(sighting.commonNumber, stands)
        yield* assertConsecutive(stands, sighting.blocks)
        if (skipsNumbers) assert.isAbove(sighting.head, tip)
        else assert.strictEqual(sighting.head, tip + 3)
      })
    )

    it.effect("when no known block stands any more, an operator must decide", () =>
      Effect.gen(function* () {
        const { chainId, mine, reorg } = yield* World
        yield* mine(3)
        const place = yield* placeAtTip
        yield* mine(1)
        yield* reorg(2, [])
        const refused = yield* Effect.flip(lookFrom(place))
        assert.strictEqual(refused._tag, "ReorganisedTooDeep")
        assert.strictEqual(refused.chainId, chainId)
        assert.isTrue(
          refused._tag === "ReorganisedTooDeep" && refused.oldestKnown === tipOf(place).number
        )
      })
    )
  })
