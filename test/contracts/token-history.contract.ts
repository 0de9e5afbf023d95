/** What every reader of the past must do: balances of then, each transfer told of both its ends, and no guess. */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, type Layer, Stream } from "effect"
import { type Address, type AddressKey, keyOf, TransactionId } from "../../core/chains/address.ts"
import { type Asked, TokenHistory } from "../../core/ports/token-history.ts"

export class PastWorld extends Context.Service<
  PastWorld,
  {
    readonly chainId: string
    /** USDC, and another token where the chain's transfers of one can be told. */
    readonly tokens: readonly [AddressKey, ...ReadonlyArray<AddressKey>]
    /** Whose payments they are. */
    readonly payer: Address
    readonly someone: () => Address
    readonly pay: (to: Address, units: bigint, token: AddressKey) => Effect.Effect<string>
    /** A time after everything so far and before everything that follows. */
    readonly moment: Effect.Effect<DateTime.Utc>
    /** Makes everything so far final, and time pass. */
    readonly settle: Effect.Effect<void>
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/test/PastWorld") {}

const movementsOf = Effect.fnUntraced(function* (after: number, through: number, asked: Asked) {
  const { chainId } = yield* PastWorld
  const history = yield* TokenHistory
  const passages = yield* Stream.runCollect(history.movements(chainId, { after, through }, asked))
  return passages.flatMap(({ movements }) => movements)
})

/** Two payments before a period, three in it and one after it. */
const months = Effect.gen(function* () {
  const { chainId, moment, pay, payer, settle, someone, tokens } = yield* PastWorld
  const { lastBefore } = yield* TokenHistory
  const [one, other] = [someone(), someone()]
  const last = tokens.at(-1) ?? tokens[0]
  yield* pay(one, 5n, tokens[0])
  yield* pay(other, 7n, last)
  const from = yield* moment
  const first = yield* pay(one, 11n, tokens[0])
  yield* pay(one, 13n, last)
  yield* pay(other, 17n, tokens[0])
  const to = yield* moment
  yield* pay(one, 19n, tokens[0])
  yield* settle
  const opening = yield* lastBefore(chainId, from)
  const closing = yield* lastBefore(chainId, to)
  return { one, other, payer, last, first, from, to, opening, closing }
})

export const suite = (name: string, world: Layer.Layer<TokenHistory | PastWorld>) => {
  layer(world, { timeout: 60_000 })(`${name}: the past`, (it) => {
    it.effect("is told to the last unit: what was held at both ends, and what moved between", () =>
      Effect.gen(function* () {
        const { chainId, tokens } = yield* PastWorld
        const { balances } = yield* TokenHistory
        const { closing, from, last, one, opening, other, payer, to } = yield* months
        assert.isTrue(DateTime.isLessThan(opening.at, from))
        assert.isTrue(DateTime.isLessThan(closing.at, to))
        const asked = { owners: [one, other, payer], tokens }
        const [before, after] = [
          yield* balances(chainId, opening.number, asked),
          yield* balances(chainId, closing.number, asked)
        ]
        const moved = yield* movementsOf(opening.number, closing.number, asked)
        for (const [row, owner] of asked.owners.entries()) {
          for (const [column, token] of tokens.entries()) {
            const sum = moved
              .filter((each) => each.owner === keyOf(chainId, owner) && each.token === token)
              .reduce((units, each) => units + each.units, 0n)
            assert.strictEqual(
              (before[row]?.[column] ?? 0n) + sum,
              after[row]?.[column],
              `${row} ${column}`
            )
          }
        }
        const heldBy = (row: number) => [before[row]?.[0], after[row]?.[0]]
        const isOne = tokens.length === 1
        assert.deepStrictEqual(heldBy(0), [5n, isOne ? 29n : 16n])
        assert.deepStrictEqual(heldBy(1), isOne ? [7n, 24n] : [0n, 17n])
        const own = moved.filter(({ owner }) => owner === keyOf(chainId, one))
        assert.sameDeepMembers(
          own.map(({ counterparty, token, units }) => ({ counterparty, token, units })),
          [
            { counterparty: keyOf(chainId, payer), token: tokens[0], units: 11n },
            { counterparty: keyOf(chainId, payer), token: last, units: 13n }
          ]
        )
      })
    )

    it.effect("is empty before the chain began, and all that moved came after that", () =>
      Effect.gen(function* () {
        const { chainId, moment, pay, settle, someone, tokens } = yield* PastWorld
        const { balances, lastBefore } = yield* TokenHistory
        const one = someone()
        yield* pay(one, 5n, tokens[0])
        const to = yield* moment
        yield* settle
        const opening = yield* lastBefore(chainId, DateTime.makeUnsafe(0))
        const closing = yield* lastBefore(chainId, to)
        const asked = { owners: [one], tokens: [tokens[0]] }
        assert.deepStrictEqual(yield* balances(chainId, opening.number, asked), [[0n]])
        const moved = yield* movementsOf(opening.number, closing.number, asked)
        assert.deepStrictEqual(
          moved.map(({ units }) => units),
          [5n]
        )
      })
    )

    it.effect(
      "tells each log of both its ends, in the time of its block, and only of who is asked",
      () =>
        Effect.gen(function* () {
          const { chainId, tokens } = yield* PastWorld
          const { closing, first, from, one, opening, payer, to } = yield* months
          const range = [opening.number, closing.number] as const
          const both = yield* movementsOf(...range, { owners: [one, payer], tokens })
          const sides = both.filter(({ txHash }) => txHash === TransactionId.make(first))
          assert.sameMembers(
            sides.map(({ owner, units }) => `${owner} ${units}`),
            [`${keyOf(chainId, one)} 11`, `${keyOf(chainId, payer)} -11`]
          )
          for (const { at } of sides) {
            assert.isTrue(DateTime.isGreaterThanOrEqualTo(at, from) && DateTime.isLessThan(at, to))
          }
          const alone = yield* movementsOf(...range, { owners: [one], tokens })
          assert.deepStrictEqual(
            [...new Set(alone.map(({ owner }) => owner))],
            [keyOf(chainId, one)]
          )
          assert.deepStrictEqual(yield* movementsOf(...range, { owners: [], tokens }), [])
          assert.deepStrictEqual(
            yield* movementsOf(range[1], range[1], { owners: [one], tokens }),
            []
          )
        })
    )

    it.effect("says where a transaction stands, and nothing of one that is nowhere", () =>
      Effect.gen(function* () {
        const { chainId } = yield* PastWorld
        const { placeOf } = yield* TokenHistory
        const { closing, first, opening } = yield* months
        const place = yield* placeOf(chainId, TransactionId.make(first))
        assert.isTrue(place !== undefined && place > opening.number && place <= closing.number)
        const nowhere = TransactionId.make(
          first.startsWith("0x") ? `0x${"ab".repeat(32)}` : `${first.slice(0, -4)}1111`
        )
        assert.isUndefined(yield* placeOf(chainId, nowhere))
      })
    )

    it.effect("ends where the chain is final, and is no past at all while it is away", () =>
      Effect.gen(function* () {
        const { chainId, outage, settle } = yield* PastWorld
        const { lastBefore, newest } = yield* TokenHistory
        yield* settle
        const { at, number } = yield* newest(chainId)
        const later = yield* Effect.flip(lastBefore(chainId, DateTime.add(at, { days: 1 })))
        assert.strictEqual(later._tag, "NotFinal")
        assert.isBelow((yield* lastBefore(chainId, at)).number, number)
        yield* outage(true)
        const away = yield* Effect.flip(newest(chainId))
        yield* outage(false)
        assert.strictEqual(away._tag, "ChainUnavailable")
      })
    )
  })
}
