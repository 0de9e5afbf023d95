/** What every reading of allowances must do: say what the token says now, and find what was given lately. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Chains } from "../../core/ports/chains.ts"
import { Allowances } from "../../core/ports/holdings.ts"
import { AllowanceWorld } from "../support/allowance-chain.ts"
import { addressOf } from "../support/watched-chain.ts"

const unlimited = 2n ** 256n - 1n

export const suite = (name: string, chain: Layer.Layer<Chains | Allowances | AllowanceWorld>) =>
  layer(chain)(`${name}: allowances`, (it) => {
    it.effect("nobody may take anything that was not allowed", () =>
      Effect.gen(function* () {
        const { chainId, usdc } = yield* AllowanceWorld
        const { current, recent } = yield* Allowances
        const owner = addressOf("1")
        const asked = [{ token: usdc, owner, spender: addressOf("a") }]
        assert.deepStrictEqual(yield* current(chainId, asked), [0n])
        assert.deepStrictEqual(yield* current(chainId, []), [])
        assert.deepStrictEqual(yield* recent(chainId, [owner]), [])
        assert.deepStrictEqual(yield* recent(chainId, []), [])
      })
    )

    it.effect("what was allowed is told to the last unit, in the order asked", () =>
      Effect.gen(function* () {
        const { approve, chainId, usdc } = yield* AllowanceWorld
        const owner = addressOf("2")
        yield* approve({ owner, spender: addressOf("a"), amount: 12_345_678n })
        yield* approve({ owner, spender: addressOf("b"), amount: unlimited })
        const asked = ["b", "c", "a"].map((digit) => ({
          token: usdc,
          owner,
          spender: addressOf(digit)
        }))
        assert.deepStrictEqual(yield* (yield* Allowances).current(chainId, asked), [
          unlimited,
          0n,
          12_345_678n
        ])
      })
    )

    it.effect("each permission is found once, as it was given last, over any token", () =>
      Effect.gen(function* () {
        const { approve, chainId, mine, otherToken, usdc } = yield* AllowanceWorld
        const { current, recent } = yield* Allowances
        const [one, other] = [addressOf("3"), addressOf("4")]
        yield* approve({ owner: one, spender: addressOf("a"), amount: 5n })
        const again = yield* approve({ owner: one, spender: addressOf("a"), amount: 7n })
        const elsewhere = yield* approve({
          owner: one,
          spender: addressOf("a"),
          amount: 9n,
          token: otherToken
        })
        const { timestamp } = yield* (yield* Chains).tip(chainId)
        yield* approve({ owner: other, spender: addressOf("a"), amount: 11n })
        yield* mine(3)
        const found = yield* recent(chainId, [one])
        assert.deepStrictEqual(
          found.map(({ at: _at, ...given }) => given),
          [
            { token: usdc, owner: one, spender: addressOf("a"), txHash: again },
            { token: otherToken, owner: one, spender: addressOf("a"), txHash: elsewhere }
          ]
        )
        assert.deepStrictEqual(found[1]?.at, timestamp)
        assert.deepStrictEqual(yield* current(chainId, found), [7n, 9n])
        assert.lengthOf(yield* recent(chainId, [one, other]), 3)
      })
    )

    it.effect("what was taken back is nothing, though it is found", () =>
      Effect.gen(function* () {
        const { approve, chainId } = yield* AllowanceWorld
        const { current, recent } = yield* Allowances
        const owner = addressOf("5")
        yield* approve({ owner, spender: addressOf("a"), amount: 5n })
        yield* approve({ owner, spender: addressOf("a"), amount: 0n })
        const found = yield* recent(chainId, [owner])
        assert.deepStrictEqual(yield* current(chainId, found), [0n])
      })
    )

    it.effect("a reorganisation takes back what was allowed in the blocks it drops", () =>
      Effect.gen(function* () {
        const { approve, chainId, mine, reorg, usdc } = yield* AllowanceWorld
        const { current, recent } = yield* Allowances
        const owner = addressOf("6")
        yield* mine(2)
        yield* approve({ owner, spender: addressOf("a"), amount: 5n })
        yield* reorg(1)
        assert.deepStrictEqual(yield* recent(chainId, [owner]), [])
        const asked = [{ token: usdc, owner, spender: addressOf("a") }]
        assert.deepStrictEqual(yield* current(chainId, asked), [0n])
      })
    )

    it.effect("where no token stands there is no answer, and the others are answered", () =>
      Effect.gen(function* () {
        const { approve, chainId, usdc } = yield* AllowanceWorld
        const owner = addressOf("7")
        yield* approve({ owner, spender: addressOf("a"), amount: 5n })
        const asked = [addressOf("e"), usdc].map((token) => ({
          token,
          owner,
          spender: addressOf("a")
        }))
        assert.deepStrictEqual(yield* (yield* Allowances).current(chainId, asked), [undefined, 5n])
      })
    )

    it.effect("a chain that is away says so", () =>
      Effect.gen(function* () {
        const { chainId, outage, usdc } = yield* AllowanceWorld
        const { current, recent } = yield* Allowances
        const owner = addressOf("8")
        yield* outage(true)
        for (const failed of [
          yield* Effect.flip(current(chainId, [{ token: usdc, owner, spender: owner }])),
          yield* Effect.flip(recent(chainId, [owner]))
        ]) {
          assert.strictEqual(failed._tag, "ChainUnavailable")
          assert.strictEqual(failed.chainId, chainId)
        }
        yield* outage(false)
        assert.deepStrictEqual(yield* recent(chainId, [owner]), [])
      })
    )
  })
