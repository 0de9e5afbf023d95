/** What the local order book and its solver do, over the real settlement contract: as the API of the real one does. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem/utils"
import { contractWalletCode } from "../../../apps/sandbox/cow/contracts.ts"
import { settlement, vaultRelayer } from "../../../apps/sandbox/cow/deployment.ts"
import * as Order from "../../../apps/sandbox/cow/order.ts"
import * as Anvil from "../../support/anvil.ts"
import { CowWorld, layer as cow, ordered, trader } from "../../support/cow-world.ts"

const dollars = 1_000_000n

const abi = parseAbi([
  "function approve(address spender, uint256 amount) returns (bool)",
  "function invalidateOrder(bytes orderUid)",
  "function setPreSignature(bytes orderUid, bool signed)",
  "function call(address to, bytes data) returns (bytes)"
])

/** Somebody who holds 10,000 USDC and lets the vault relayer take them. */
const funded = Effect.gen(function* () {
  const { approve, giveUsdc, usdc } = yield* CowWorld
  const owner = trader()
  yield* giveUsdc(owner.address, 10_000n * dollars)
  yield* approve(owner.address, usdc, 10_000n * dollars)
  return owner
})

const posted = Effect.fnUntraced(function* (ordering: Parameters<typeof ordered>[0]) {
  const placed = yield* ordered(ordering)
  const { status, body } = yield* (yield* CowWorld).call("POST", "orders", placed.body)
  assert.deepStrictEqual({ status, body }, { status: 201, body: placed.uid })
  return placed
})

const statusOf = Effect.fnUntraced(function* (uid: string) {
  const { body } = yield* (yield* CowWorld).call("GET", `orders/${uid}`)
  return body as { readonly status: string; readonly executedBuyAmount: string }
})

const refusalOf = (answer: { readonly body: unknown }) =>
  (answer.body as { readonly errorType: string }).errorType

layer(cow.pipe(Layer.provideMerge(Anvil.layer)))("the local order book", (it) => {
  it.effect("an order is settled by the real contract, and once", () =>
    Effect.gen(function* () {
      const { balanceOf, book, call, settleAll, usdc, weth } = yield* CowWorld
      const owner = yield* funded
      const { body, order, uid } = yield* posted({ owner, sellAmount: 1000n * dollars })
      assert.strictEqual((yield* statusOf(uid)).status, "open")
      assert.strictEqual(refusalOf(yield* call("POST", "orders", body)), "DuplicatedOrder")
      assert.strictEqual(yield* settleAll, 1)
      const filled = yield* statusOf(uid)
      assert.strictEqual(filled.status, "fulfilled")
      const got = yield* balanceOf(weth, owner.address)
      assert.strictEqual(String(got), filled.executedBuyAmount)
      assert.isTrue(got >= order.buyAmount)
      assert.strictEqual(yield* balanceOf(usdc, owner.address), 9000n * dollars)
      assert.strictEqual(yield* settleAll, 0)
      assert.property(yield* book.settle(uid), "refused")
      const trades = yield* call("GET", `trades?orderUid=${uid}`)
      assert.lengthOf(trades.body as Array<unknown>, 1)
    })
  )

  it.effect("orders that the contract would not settle are refused by name", () =>
    Effect.gen(function* () {
      const { approve, call, usdc } = yield* CowWorld
      const owner = yield* funded
      const said = Effect.fnUntraced(function* (ordering: Partial<Parameters<typeof ordered>[0]>) {
        const { body } = yield* ordered({ owner, sellAmount: 10n * dollars, ...ordering })
        return refusalOf(yield* call("POST", "orders", body))
      })
      assert.strictEqual(yield* said({ over: { feeAmount: 5n } }), "NonZeroFee")
      assert.strictEqual(yield* said({ over: { validTo: 1 } }), "InsufficientValidTo")
      assert.strictEqual(yield* said({ over: { validTo: 4_000_000_000 } }), "ExcessiveValidTo")
      assert.strictEqual(yield* said({ over: { buyToken: usdc } }), "SameBuyAndSellToken")
      assert.strictEqual(yield* said({ over: { kind: "buy" } }), "UnsupportedOrderType")
      assert.strictEqual(yield* said({ from: trader().address }), "WrongOwner")
      assert.strictEqual(yield* said({ sellAmount: 10_001n * dollars }), "InsufficientBalance")
      yield* approve(owner.address, usdc, 0n)
      assert.strictEqual(yield* said({}), "InsufficientAllowance")
    })
  )

  it.effect("what the pool does not trade has no route", () =>
    Effect.gen(function* () {
      const { call, usdc } = yield* CowWorld
      const body = {
        ...{ sellToken: usdc, buyToken: trader().address, from: trader().address },
        ...{ kind: "sell", sellAmountBeforeFee: "1000000" }
      }
      const { status, body: said } = yield* call("POST", "quote", body)
      assert.strictEqual(status, 404)
      assert.propertyVal(said, "errorType", "NoLiquidity")
    })
  )

  it.effect("an order below the price stays open, and is not settled by force", () =>
    Effect.gen(function* () {
      const { book, setPrice, settleAll, weth } = yield* CowWorld
      const owner = yield* funded
      const { uid } = yield* posted({ owner, sellAmount: 100n * dollars })
      yield* setPrice(weth, 3_000_000_000n)
      assert.strictEqual(yield* settleAll, 0)
      assert.strictEqual((yield* statusOf(uid)).status, "open")
      const forced = yield* book.settle(uid)
      assert.include("refused" in forced ? forced.refused : "", "limit price")
      yield* setPrice(weth, 2_500_000_000n)
      assert.strictEqual(yield* settleAll, 1)
      assert.strictEqual((yield* statusOf(uid)).status, "fulfilled")
    })
  )

  it.effect("an order whose time is over is expired", () =>
    Effect.gen(function* () {
      const { book } = yield* CowWorld
      const { timePasses } = yield* Anvil.AnvilChain
      const { uid } = yield* posted({ owner: yield* funded, sellAmount: 100n * dollars })
      yield* timePasses(1801)
      assert.strictEqual((yield* statusOf(uid)).status, "expired")
      const forced = yield* book.settle(uid)
      assert.include("refused" in forced ? forced.refused : "", "expired")
    })
  )

  it.effect("an order cancelled at the book may still be filled", () =>
    Effect.gen(function* () {
      const { book, call } = yield* CowWorld
      const { mine } = yield* Anvil.AnvilChain
      const owner = yield* funded
      const { uid } = yield* posted({ owner, sellAmount: 100n * dollars })
      const signature = yield* Effect.promise(() =>
        owner.signTypedData(Order.cancellation(31337, [uid]))
      )
      const body = { orderUids: [uid], signature, signingScheme: "eip712" }
      assert.strictEqual((yield* call("DELETE", "orders", body)).status, 200)
      assert.strictEqual((yield* statusOf(uid)).status, "cancelled")
      assert.property(yield* book.settle(uid), "txHash")
      yield* mine(1)
      assert.strictEqual((yield* statusOf(uid)).status, "fulfilled")
    })
  )

  it.effect("an order invalidated on the chain is settled by nobody", () =>
    Effect.gen(function* () {
      const { book, sendFrom } = yield* CowWorld
      const owner = yield* funded
      const { uid } = yield* posted({ owner, sellAmount: 100n * dollars })
      const data = encodeFunctionData({ abi, functionName: "invalidateOrder", args: [uid] })
      yield* sendFrom(owner.address, settlement, data)
      assert.strictEqual((yield* statusOf(uid)).status, "cancelled")
      assert.property(yield* book.settle(uid), "refused")
    })
  )

  it.effect("a reorganisation opens a filled order again", () =>
    Effect.gen(function* () {
      const { settleAll } = yield* CowWorld
      const { reorg } = yield* Anvil.AnvilChain
      const { uid } = yield* posted({ owner: yield* funded, sellAmount: 100n * dollars })
      assert.strictEqual(yield* settleAll, 1)
      assert.strictEqual((yield* statusOf(uid)).status, "fulfilled")
      yield* reorg(1)
      assert.strictEqual((yield* statusOf(uid)).status, "open")
      assert.strictEqual(yield* settleAll, 1)
      assert.strictEqual((yield* statusOf(uid)).status, "fulfilled")
    })
  )

  it.effect("a wallet that is a contract sells by its own word", () =>
    Effect.gen(function* () {
      const { giveUsdc, sendFrom, settleAll, usdc } = yield* CowWorld
      const { call } = yield* Anvil.AnvilChain
      const owner = trader()
      const [from] = (yield* call("eth_accounts")) as ReadonlyArray<string>
      const args = encodeAbiParameters([{ type: "address" }], [owner.address])
      const data = contractWalletCode + args.slice(2)
      const hash = yield* call("eth_sendTransaction", { from, data, gas: "0x4c4b40" })
      yield* call("evm_mine")
      const receipt = yield* call("eth_getTransactionReceipt", hash)
      const wallet = (receipt as { readonly contractAddress: `0x${string}` }).contractAddress
      yield* giveUsdc(wallet, 1000n * dollars)
      const approve = encodeFunctionData({
        abi,
        functionName: "approve",
        args: [vaultRelayer, 1000n * dollars]
      })
      const through = (to: `0x${string}`, inner: `0x${string}`) =>
        sendFrom(
          owner.address,
          wallet,
          encodeFunctionData({ abi, functionName: "call", args: [to, inner] })
        )
      yield* through(usdc, approve)
      const sold = { owner, from: wallet }
      const signed = yield* posted({ ...sold, sellAmount: 400n * dollars, scheme: "eip1271" })
      assert.strictEqual(yield* settleAll, 1)
      assert.strictEqual((yield* statusOf(signed.uid)).status, "fulfilled")
      const presigned = yield* posted({ ...sold, sellAmount: 300n * dollars, scheme: "presign" })
      assert.strictEqual((yield* statusOf(presigned.uid)).status, "presignaturePending")
      yield* through(
        settlement,
        encodeFunctionData({ abi, functionName: "setPreSignature", args: [presigned.uid, true] })
      )
      assert.strictEqual(yield* settleAll, 1)
      assert.strictEqual((yield* statusOf(presigned.uid)).status, "fulfilled")
    })
  )
})
