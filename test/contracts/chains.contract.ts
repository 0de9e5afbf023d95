/** What every connected chain must do, told by pushing the chain about and looking at it again. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { type Block, Chains, type Place, type Sighting } from "../../core/ports/chains.ts"

/** The chain under test, from the side of those who pay on it and of the world that disturbs it. */
export class Ground extends Context.Service<
  Ground,
  {
    readonly chainId: string
    /** Who pays, in lower case. */
    readonly payer: string
    /** Pays in a block of its own; the transaction. */
    readonly pay: (to: string, amountMicro: bigint) => Effect.Effect<string>
    readonly mine: (blocks: number) => Effect.Effect<void>
    /** Drops the newest blocks for as many new ones, transactions kept in the first. */
    readonly reorg: (depth: number, keep: ReadonlyArray<string>) => Effect.Effect<void>
    /** Drops the newest blocks for none. */
    readonly rollBack: (depth: number) => Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/Ground") {}

const addressOf = (digit: string) => `0x${digit.repeat(40)}`
const [ada, ben] = [addressOf("a"), addressOf("b")]

const placeAtTip = Effect.gen(function* () {
  const { chainId } = yield* Ground
  return { blocks: [yield* (yield* Chains).tip(chainId)] } satisfies Place
})

const lookFrom = Effect.fnUntraced(function* (place: Place) {
  return yield* (yield* Chains).look((yield* Ground).chainId, place)
})

/** Where a watcher stands that took what it saw. */
const after = (place: Place, sighting: Sighting): Place => ({
  blocks: place.blocks
    .filter((block) => block.number <= sighting.commonNumber)
    .concat(sighting.blocks)
    .slice(-64)
})

const tipOf = (place: Place): Block => {
  const tip = place.blocks.at(-1)
  if (tip === undefined) throw new Error("A place has at least one block.")
  return tip
}

const assertConsecutive = (from: number, blocks: ReadonlyArray<Block>) =>
  assert.deepStrictEqual(
    blocks.map((block) => block.number),
    blocks.map((_, at) => from + 1 + at)
  )

type Chained = Chains | Ground

const sightings = (name: string, chain: Layer.Layer<Chained>) =>
  layer(chain)(`${name}: chains, what is seen`, (it) => {
    it.effect("the chain under test is connected, its USDC in lower case", () =>
      Effect.gen(function* () {
        const { chainId } = yield* Ground
        const { connected } = yield* Chains
        const found = connected.find(({ chain }) => chain.id === chainId)
        assert.match(found?.usdc ?? "", /^0x[0-9a-f]{40}$/u)
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
        yield* (yield* Ground).mine(1)
        const place = yield* placeAtTip
        const { number } = tipOf(place)
        const sighting = yield* lookFrom(place)
        const { finalNumber, ...seen } = sighting
        assert.isAtMost(finalNumber, number)
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
        const { pay, payer } = yield* Ground
        const place = yield* placeAtTip
        const payments = [
          { to: ada, amountMicro: 1n },
          { to: ben, amountMicro: 49_000_000n },
          { to: ada, amountMicro: 123_456_789_012n }
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
        assert.deepStrictEqual(
          transfers.map(({ block }) => block),
          blocks
        )
        assert.strictEqual(new Set(txHashes).size, 3)
      })
    )

    it.effect("new blocks follow one another up to the tip, and time never goes back", () =>
      Effect.gen(function* () {
        const { mine } = yield* Ground
        const place = yield* placeAtTip
        yield* mine(5)
        const { blocks, atHead, head } = yield* lookFrom(place)
        assertConsecutive(tipOf(place).number, blocks)
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
        const { chainId, mine } = yield* Ground
        const { connected } = yield* Chains
        const confirmations =
          connected.find(({ chain }) => chain.id === chainId)?.confirmations ?? Number.NaN
        yield* mine(confirmations)
        const place = yield* placeAtTip
        const { finalNumber } = yield* lookFrom(place)
        assert.strictEqual(finalNumber, tipOf(place).number - confirmations + 1)
      })
    )

    it.effect("a watcher far behind takes the chain in bounded looks and misses nothing", () =>
      Effect.gen(function* () {
        const { mine, pay } = yield* Ground
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
          assertConsecutive(sighting.commonNumber, sighting.blocks)
          seen.push(...sighting.transfers.map(({ txHash }) => txHash))
          numbers.push(...sighting.blocks.map(({ number }) => number))
          atHead = sighting.atHead
          place = after(place, sighting)
        }
        assert.isAbove(looks, 1)
        assert.lengthOf(numbers, 452)
        assert.deepStrictEqual(seen, [early, late])
        assert.deepStrictEqual(tipOf(place), tipOf(yield* placeAtTip))
      })
    )

    it.effect("balances are told in the order asked, whatever the case of the address", () =>
      Effect.gen(function* () {
        const { chainId, pay } = yield* Ground
        const { balances } = yield* Chains
        const [cleo, dan] = [addressOf("c"), addressOf("d")]
        yield* pay(cleo, 5n)
        yield* pay(dan, 2_500_000n)
        yield* pay(cleo, 6n)
        const asked = [dan, addressOf("e"), cleo.toUpperCase().replace("0X", "0x"), dan]
        assert.deepStrictEqual(yield* balances(chainId, asked), [2_500_000n, 0n, 11n, 2_500_000n])
        assert.deepStrictEqual(yield* balances(chainId, []), [])
      })
    )

    it.effect(
      "during an outage the chain is unavailable for now, and nothing is missed after it",
      () =>
        Effect.gen(function* () {
          const { chainId, outage, pay } = yield* Ground
          const { tip, balances } = yield* Chains
          const place = yield* placeAtTip
          yield* outage(true)
          const txHash = yield* pay(ada, 3n)
          for (const refused of [
            yield* Effect.flip(lookFrom(place)),
            yield* Effect.flip(tip(chainId)),
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

const reorganisations = (name: string, chain: Layer.Layer<Chained>) =>
  layer(chain)(`${name}: chains, reorganisations`, (it) => {
    it.effect("a reorganisation takes the place back to the highest block that stands", () =>
      Effect.gen(function* () {
        const { chainId, pay, mine, reorg } = yield* Ground
        const { balances } = yield* Chains
        const start = yield* placeAtTip
        yield* mine(2)
        const lost = yield* pay(addressOf("1"), 10n)
        yield* mine(1)
        const place = after(start, yield* lookFrom(start))
        const tip = tipOf(place).number
        yield* reorg(2, [])
        const sighting = yield* lookFrom(place)
        assert.strictEqual(sighting.commonNumber, tip - 2)
        assertConsecutive(tip - 2, sighting.blocks)
        assert.strictEqual(sighting.head, tip)
        assert.notInclude(
          sighting.transfers.map(({ txHash }) => txHash),
          lost
        )
        assert.deepStrictEqual(yield* balances(chainId, [addressOf("1")]), [0n])
        const known = new Set(place.blocks.map(({ hash }) => hash))
        assert.isFalse(sighting.blocks.some(({ hash }) => known.has(hash)))
        const settled = yield* lookFrom(after(place, sighting))
        assert.strictEqual(settled.commonNumber, tip)
      })
    )

    it.effect("a transaction that is mined again shows again, in its new block", () =>
      Effect.gen(function* () {
        const { pay, reorg } = yield* Ground
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
        const { pay, mine, rollBack } = yield* Ground
        const start = yield* placeAtTip
        yield* mine(3)
        const place = after(start, yield* lookFrom(start))
        const tip = tipOf(place).number
        yield* rollBack(2)
        const shorter = yield* lookFrom(place)
        assert.deepStrictEqual(
          [shorter.head, shorter.commonNumber, shorter.blocks, shorter.atHead],
          [tip - 2, tip - 2, [], true]
        )
        const txHash = yield* pay(ada, 13n)
        const sighting = yield* lookFrom(after(place, shorter))
        assert.strictEqual(sighting.commonNumber, tip - 2)
        assert.deepStrictEqual(
          sighting.transfers.map((transfer) => transfer.txHash),
          [txHash]
        )
      })
    )

    it.effect("blocks that went back and came anew are taken in one look", () =>
      Effect.gen(function* () {
        const { mine, rollBack } = yield* Ground
        const start = yield* placeAtTip
        yield* mine(2)
        const place = after(start, yield* lookFrom(start))
        const tip = tipOf(place).number
        yield* rollBack(1)
        yield* mine(4)
        const sighting = yield* lookFrom(place)
        assert.strictEqual(sighting.commonNumber, tip - 1)
        assertConsecutive(tip - 1, sighting.blocks)
        assert.strictEqual(sighting.head, tip + 3)
      })
    )

    it.effect("when no known block stands any more, an operator must decide", () =>
      Effect.gen(function* () {
        const { chainId, mine, reorg } = yield* Ground
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

export const suite = (name: string, chain: Layer.Layer<Chained>) => {
  sightings(name, chain)
  reorganisations(name, chain)
}
