/**
 * Swaps of tokens that misbehave, as real contracts on CoW Protocol's own: whatever a token does, nobody is paid less
 * than was signed without that being told, and what a token lies about moves nothing.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Hex } from "viem"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { settlement } from "../../../../apps/sandbox/cow/deployment.ts"
import * as Anvil from "../../../support/anvil.ts"
import * as Value from "../../../support/chain-values.ts"
import { dollars, funded, orderOf, signed, type Trader, venue } from "../../../support/cow-venue.ts"
import { CowWorld, layer as cow, trader } from "../../../support/cow-world.ts"
import * as Rows from "../../../support/rows.ts"
import * as Code from "../../../support/token-code.ts"

const ether = 10n ** 18n
const abi = parseAbi([
  "function mint(address to, uint256 value)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)"
])

/** A token of this code that costs a dollar, and of which the pool has plenty. */
const token = Effect.fnUntraced(function* (code: string) {
  const { deployed, sendFrom, setPrice } = yield* CowWorld
  const address = Rows.anAddressKey() as string as Hex
  yield* (yield* Anvil.AnvilChain).call("anvil_setCode", address, code)
  const give = (to: string, units: bigint) =>
    sendFrom(
      to,
      address,
      encodeFunctionData({ abi, functionName: "mint", args: [to as Hex, units] })
    )
  yield* give(deployed.pool, 1_000_000n * ether)
  yield* setPrice(address, 1_000_000n)
  return { address, give }
})

/** An order of this trader that is handed over. */
const posted = Effect.fnUntraced(function* (
  owner: Trader,
  over: Parameters<typeof orderOf>[1] = {}
) {
  const order = yield* signed(owner, yield* orderOf(owner, over))
  yield* (yield* venue).place(order)
  return order
})

/** Sells 1,000 of a token of this code for USDC, for at least 990. */
const selling = Effect.fnUntraced(function* (code: string, units = 1000n * ether) {
  const { approve, usdc } = yield* CowWorld
  const owner = trader()
  const { address, give } = yield* token(code)
  yield* give(owner.address, units)
  yield* approve(owner.address, address, units)
  const order = {
    sell: Value.key(address),
    sellAmount: units,
    buy: Value.key(usdc),
    minBuyAmount: 990n * dollars
  }
  return { owner, address, order: yield* posted(owner, order) }
})

/** Buys at least 990 of a token of this code for 1,000 USDC. */
const buying = Effect.fnUntraced(function* (code: string, whole = ether) {
  const owner = yield* funded()
  const { address, give } = yield* token(code)
  const over = { buy: Value.key(address), minBuyAmount: 990n * whole }
  return { owner, address, give, order: yield* posted(owner, over) }
})

const settled = Effect.gen(function* () {
  const count = yield* (yield* CowWorld).settleAll
  yield* (yield* Anvil.AnvilChain).mine(3)
  return count
})

layer(cow.pipe(Layer.provideMerge(Anvil.layer)))("swaps of odd tokens", (it) => {
  it.effect("one that keeps a fee is not sold: what arrives does not do, and it stays", () =>
    Effect.gen(function* () {
      const { balanceOf, usdc } = yield* CowWorld
      const { address, order, owner } = yield* selling(Code.feeToken)
      assert.strictEqual(yield* settled, 0)
      assert.strictEqual((yield* (yield* venue).status(order))._tag, "open")
      assert.strictEqual(yield* balanceOf(address, owner.address), 1000n * ether)
      assert.strictEqual(yield* balanceOf(usdc, owner.address), 0n)
    })
  )

  it.effect(
    "one that is bought and keeps a fee is told by what arrived, not by what was sent",
    () =>
      Effect.gen(function* () {
        const { balanceOf } = yield* CowWorld
        const { address, give, order, owner } = yield* buying(Code.feeToken)
        assert.strictEqual(yield* settled, 0, "what the pool sends does not do")
        assert.strictEqual((yield* (yield* venue).status(order))._tag, "open")
        // What the settlement contract holds of it makes up for one fee, and the other is the receiver's.
        yield* give(settlement, 100n * ether)
        assert.strictEqual(yield* settled, 1)
        const status = yield* (yield* venue).status(order)
        if (status._tag !== "filled") return assert.fail(status._tag)
        assert.strictEqual(status.fill.boughtAmount, yield* balanceOf(address, owner.address))
        // Less than was signed for, which is told as it is and raises the alarm.
        assert.isTrue(status.fill.boughtAmount < order.minBuyAmount)
      })
  )

  it.effect("one whose balances change by themselves is told by the transfer of its fill", () =>
    Effect.gen(function* () {
      const { address, order, owner } = yield* buying(Code.rebasingToken)
      yield* settled
      const status = yield* (yield* venue).status(order)
      if (status._tag !== "filled") return assert.fail(status._tag)
      const { boughtAmount } = status.fill
      assert.isTrue(boughtAmount >= order.minBuyAmount)
      // Blocks later its contract shows another balance; what was bought stays what it was.
      yield* (yield* Anvil.AnvilChain).mine(7)
      const again = yield* (yield* venue).status(order)
      if (again._tag !== "filled") return assert.fail(again._tag)
      assert.strictEqual(again.fill.boughtAmount, boughtAmount)
      const { balanceOf } = yield* CowWorld
      assert.notStrictEqual(yield* balanceOf(address, owner.address), boughtAmount)
    })
  )

  it.effect("one whose permit does nothing is not sold: no allowance came of it", () =>
    Effect.gen(function* () {
      const { balanceOf, deployed, sendFrom, usdc } = yield* CowWorld
      const owner = trader()
      const { address, give } = yield* token(Code.idlePermitToken)
      yield* give(owner.address, 1000n * ether)
      const word = `0x${"00".repeat(32)}` as const
      const args = [owner.address, deployed.pool, 1000n * ether, 2n ** 40n, 27, word, word] as const
      yield* sendFrom(
        owner.address,
        address,
        encodeFunctionData({ abi, functionName: "permit", args })
      )
      const sold = { sell: Value.key(address), sellAmount: 1000n * ether }
      const bought = { buy: Value.key(usdc), minBuyAmount: 990n * dollars }
      const order = yield* signed(owner, yield* orderOf(owner, { ...sold, ...bought }))
      const refused = yield* Effect.flip((yield* venue).place(order))
      assert.include(JSON.stringify(refused), "InsufficientAllowance")
      assert.strictEqual(yield* balanceOf(address, owner.address), 1000n * ether)
    })
  )

  it.effect("one that answers nothing, and is approved by way of zero, is sold and bought", () =>
    Effect.gen(function* () {
      const { balanceOf, usdc } = yield* CowWorld
      const sold = yield* selling(Code.byZeroToken, 1000n * dollars)
      const bought = yield* buying(Code.byZeroToken, dollars)
      assert.strictEqual(yield* settled, 2)
      for (const [{ order, owner }, what] of [
        [sold, usdc],
        [bought, bought.address]
      ] as const) {
        const status = yield* (yield* venue).status(order)
        if (status._tag !== "filled") return assert.fail(status._tag)
        assert.strictEqual(status.fill.boughtAmount, yield* balanceOf(what, owner.address))
        assert.isTrue(status.fill.boughtAmount >= order.minBuyAmount)
      }
    })
  )

  it.effect("one of other decimals than the list says is counted in its own units alone", () =>
    Effect.gen(function* () {
      const { balanceOf, usdc } = yield* CowWorld
      // A thousand of them by its contract, and next to nothing by a list that says eighteen.
      const { address, order, owner } = yield* selling(Code.twoDecimalsToken, 100_000n)
      yield* settled
      const status = yield* (yield* venue).status(order)
      if (status._tag !== "filled") return assert.fail(status._tag)
      assert.strictEqual(status.fill.soldAmount, 100_000n)
      assert.strictEqual(status.fill.boughtAmount, yield* balanceOf(usdc, owner.address))
      assert.strictEqual(yield* balanceOf(address, owner.address), 0n)
    })
  )
})
