/** A price is one where two sources agree within two percent, as old as the older of them, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as Prices from "../../../adapters/memory/prices.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import type { TokenId } from "../../../core/chains/token-amount.ts"
import * as Decimal from "../../../core/money/decimal.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { type AgreedPrice, AgreedPrices, agree, layer } from "../../../core/tokens/agreed-price.ts"
import * as Value from "../../support/chain-values.ts"

const decimal = (text: string) => Decimal.parse(text) ?? assert.fail(text)

describe("Two sources", () => {
  it("agree within two percent of the larger, whatever their fraction digits", () => {
    const cases: ReadonlyArray<readonly [string, string, boolean]> = [
      ["100", "100", true],
      ["100", "98", true],
      ["98", "100", true],
      ["100", "97.999999", false],
      ["102.04", "100", true],
      ["102.05", "100", false],
      ["1e-9", "0.00000000099", true],
      ["1e-9", "2e-9", false],
      ["0", "0", false]
    ]
    for (const [one, other, expected] of cases) {
      assert.strictEqual(agree(decimal(one), decimal(other)), expected, `${one} and ${other}`)
    }
  })
})

const world = layer.pipe(
  Layer.provideMerge(Prices.layer),
  Layer.provideMerge(MemoryChains.layer(Wiring.scriptedChain()))
)

const gold: TokenId = { chainId: "local", address: Value.key(`0x${"90".repeat(20)}`) }

const told = (price: AgreedPrice | undefined) =>
  price === undefined ? undefined : Decimal.format(price.usd)

describe("An agreed price", () => {
  it.effect("is the first source's, and none where the second is silent or far from it", () =>
    Effect.gen(function* () {
      const { known, learn } = yield* AgreedPrices
      const { quote } = yield* Prices.PriceScript
      const quoted = Effect.fnUntraced(function* (
        usd: string | undefined,
        secondUsd: string | null
      ) {
        yield* quote({ ...gold, usd, secondUsd })
        yield* learn([gold])
        return told(yield* known(gold))
      })
      assert.isUndefined(yield* known(gold))
      assert.strictEqual(yield* quoted("2500.10", "2480"), "2500.10")
      assert.isUndefined(yield* quoted("2500.10", "2400"))
      assert.isUndefined(yield* quoted("2500.10", null))
      assert.isUndefined(yield* quoted(undefined, "2500.10"))
    }).pipe(Effect.provide(world))
  )

  it.effect("is none once it is older than five minutes, however often it is asked for", () =>
    Effect.gen(function* () {
      const { known, learn } = yield* AgreedPrices
      const { outage, quote } = yield* Prices.PriceScript
      yield* quote({ ...gold, usd: "3" })
      yield* learn([gold])
      const learnt = yield* DateTime.now
      yield* outage(true)
      yield* TestClock.adjust("5 minutes")
      yield* learn([gold])
      assert.deepStrictEqual((yield* known(gold))?.asOf, learnt)
      yield* TestClock.adjust("1 millis")
      assert.isUndefined(yield* known(gold))
      yield* learn([gold])
      assert.isUndefined(yield* known(gold))
      yield* outage(false)
      yield* learn([gold])
      assert.strictEqual(told(yield* known(gold)), "3.00")
    }).pipe(Effect.provide(world))
  )

  it.effect("is one dollar for USDC by a rule, and nobody is asked", () =>
    Effect.gen(function* () {
      const { known } = yield* AgreedPrices
      const { connected } = yield* Chains
      const address = connected[0]?.usdc ?? null
      yield* TestClock.adjust("1 day")
      assert.strictEqual(told(yield* known({ chainId: "local", address })), "1.00")
    }).pipe(Effect.provide(world))
  )
})
