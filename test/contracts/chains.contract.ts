/** What every connected chain must do, told by paying on it and looking at it again. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Chains } from "../../core/ports/chains.ts"
import {
  after,
  assertConsecutive,
  lookFrom,
  type Place,
  placeAtTip,
  tipOf,
  World
} from "../support/watched-chain.ts"

export const suite = (name: string, chain: Layer.Layer<Chains | World>) =>
  layer(chain)(`${name}: chains, what is seen`, (it) => {
    it.effect("the chain under test is connected, its USDC by its key", () =>
      Effect.gen(function* () {
        const { chainId } = yield* World
        const { connected } = yield* Chains
        const found = connected.find(({ chain }) => chain.id === chainId)
        const usdc = found?.usdc ?? ""
        assert.strictEqual<string | undefined>(Address.keyOf(chainId, usdc), usdc)
        assert.isDefined(Address.parse(chainId, usdc))
        assert.deepStrictEqual(Object.keys(found ?? {}).sort(), [
          "chain",
          "confirmations",
          "pollMs",
          "usdc"
        ])
      })
    )

    it.effect("from the tip there is nothing new", () =>
      Effect.gen(function* () {
        yield* (yield* World).mine(1)
        const place = yield* placeAtTip
        const { number } = tipOf(place)
        const sighting = yield* lookFrom(place)
        const { finalNumber, known, ...seen } = sighting
        assert.isAtMost(finalNumber, number)
        // A chain that tells of all transfers leaves it out, or says so of what it is asked about.
        assert.isAtMost(known?.through ?? 0, finalNumber)
        assert.deepStrictEqual(known?.except ?? [], [])
        assert.deepStrictEqual(seen, {
          head: number,
          commonNumber: number,
          blocks: [],
          transfers: [],
          atHead: true
        })
      })
    )

    it.effect("transfers are seen in chain order with exact amounts and addresses", () =>
      Effect.gen(function* () {
        const { addressOf, pay, payer, skipsNumbers } = yield* World
        const [ada, ben] = [addressOf("a"), addressOf("b")]
        const place = yield* placeAtTip
        const payments = [
          { to: ada, amountMicro: Usdc.make(1n) },
          { to: ben, amountMicro: Usdc.make(49_000_000n) },
          { to: ada, amountMicro: Usdc.make(123_456_789_012n) }
        ]
        const txHashes = yield* Effect.forEach(payments, ({ to, amountMicro }) =>
          pay(to, amountMicro)
        )
        const { transfers, blocks } = yield* lookFrom(place)
        assert.deepStrictEqual(
          transfers.map(({ from, to, amountMicro }) => ({ from, to, amountMicro })),
          payments.map((payment) => ({ from: payer, ...payment }))
        )
        assert.deepStrictEqual(
          transfers.map(({ txHash }) => txHash),
          txHashes
        )
        const numbers = transfers.map(({ block }) => block.number)
        assert.deepStrictEqual(
          transfers.map(({ block }) => block),
          blocks.filter(({ number }) => !skipsNumbers || numbers.includes(number))
        )
        assert.strictEqual(new Set(txHashes).size, 3)
      })
    )

    it.effect("new blocks follow one another up to the tip, and time never goes back", () =>
      Effect.gen(function* () {
        const { mine } = yield* World
        const place = yield* placeAtTip
        yield* mine(5)
        const { blocks, atHead, head } = yield* lookFrom(place)
        yield* assertConsecutive(tipOf(place).number, blocks)
        assert.isTrue(atHead)
        assert.strictEqual(head, tipOf(place).number + 5)
        assert.deepStrictEqual(tipOf({ blocks }), tipOf(yield* placeAtTip))
        const times = [...place.blocks, ...blocks].map(
          ({ timestamp }) => timestamp.epochMilliseconds
        )
        assert.deepStrictEqual(
          times,
          [...times].sort((one, other) => one - other)
        )
      })
    )

    it.effect("a transfer is final when its block and those above it are enough", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* World
        const { connected } = yield* Chains
        const confirmations =
          connected.find(({ chain }) => chain.id === chainId)?.confirmations ?? Number.NaN
        yield* mine(confirmations)
        const place = yield* placeAtTip
        const { finalNumber } = yield* lookFrom(place)
        assert.strictEqual(finalNumber, tipOf(place).number - confirmations + 1)
      })
    )

    it.effect("the newest final block is the one the looks call final", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* World
        const { connected, newestFinal } = yield* Chains
        const confirmations =
          connected.find(({ chain }) => chain.id === chainId)?.confirmations ?? Number.NaN
        const settled = yield* placeAtTip
        yield* mine(confirmations - 1)
        assert.deepStrictEqual(yield* newestFinal(chainId), tipOf(settled))
        const { finalNumber } = yield* lookFrom(settled)
        assert.strictEqual(finalNumber, tipOf(settled).number)
      })
    )

    it.effect("a block is final by the chain's own word, after it was only mined", () =>
      Effect.gen(function* () {
        const { chainId, mine } = yield* World
        const { finality } = yield* Chains
        const { hash, number } = tipOf(yield* placeAtTip)
        assert.strictEqual(yield* finality(chainId, { hash, number: number + 1 }), "pending")
        yield* mine(40)
        assert.strictEqual(yield* finality(chainId, { hash, number }), "finalized")
      })
    )

    it.effect("a watcher far behind takes the chain in bounded looks and misses nothing", () =>
      Effect.gen(function* () {
        const { addressOf, mine, pay, skipsNumbers } = yield* World
        const [ada, ben] = [addressOf("a"), addressOf("b")]
        const start = yield* placeAtTip
        const early = yield* pay(ada, 7n)
        yield* mine(450)
        const late = yield* pay(ben, 8n)
        let place: Place = start
        const seen: Array<string> = []
        const numbers: Array<number> = []
        let looks = 0
        for (let atHead = false; !atHead; looks++) {
          const sighting = yield* lookFrom(place)
          yield* assertConsecutive(sighting.commonNumber, sighting.blocks)
          seen.push(...sighting.transfers.map(({ txHash }) => txHash))
          numbers.push(...sighting.blocks.map(({ number }) => number))
          atHead = sighting.atHead
          place = after(place, sighting)
        }
        assert.isAbove(looks, 1)
        if (skipsNumbers) assert.isAtLeast(numbers.length, 452)
        else assert.lengthOf(numbers, 452)
        assert.deepStrictEqual(seen, [early, late])
        // Where the time is read a slot later than the block, a payment in the block knows it better.
        const [reached, tip] = [tipOf(place), tipOf(yield* placeAtTip)]
        const timestamp = skipsNumbers ? reached.timestamp : tip.timestamp
        assert.deepStrictEqual(reached, { ...tip, timestamp })
      })
    )

    it.effect("balances are told in the order asked, whatever the case of the address", () =>
      Effect.gen(function* () {
        const { addressOf, chainId, pay, respelt } = yield* World
        const { balances } = yield* Chains
        const [cleo, dan] = [addressOf("c"), addressOf("d")]
        yield* pay(cleo, 5n)
        yield* pay(dan, 2_500_000n)
        yield* pay(cleo, 6n)
        const asked = [dan, addressOf("e"), respelt(cleo), dan]
        assert.deepStrictEqual(yield* balances(chainId, asked), [
          Usdc.make(2_500_000n),
          Usdc.make(0n),
          Usdc.make(11n),
          Usdc.make(2_500_000n)
        ])
        assert.deepStrictEqual(yield* balances(chainId, []), [])
      })
    )

    it.effect(
      "during an outage the chain is unavailable for now, and nothing is missed after it",
      () =>
        Effect.gen(function* () {
          const { addressOf, chainId, outage, pay } = yield* World
          const ada = addressOf("a")
          const { tip, newestFinal, balances } = yield* Chains
          const place = yield* placeAtTip
          yield* outage(true)
          const txHash = yield* pay(ada, 3n)
          for (const refused of [
            yield* Effect.flip(lookFrom(place)),
            yield* Effect.flip(tip(chainId)),
            yield* Effect.flip(newestFinal(chainId)),
            yield* Effect.flip(balances(chainId, [ada]))
          ]) {
            assert.isTrue(refused._tag === "ChainUnavailable" && refused.reason === "unreachable")
            assert.isTrue(refused._tag === "ChainUnavailable" && refused.isRetryable)
            assert.strictEqual(refused.chainId, chainId)
          }
          yield* outage(false)
          const { transfers } = yield* lookFrom(place)
          assert.deepStrictEqual(
            transfers.map((transfer) => transfer.txHash),
            [txHash]
          )
        })
    )
  })
