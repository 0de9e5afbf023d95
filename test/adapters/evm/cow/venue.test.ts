/** What CoW Protocol does to an order, on its own contract, and what the venue makes of it: the chain decides. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { settlement } from "../../../../apps/sandbox/cow/deployment.ts"
import * as Anvil from "../../../support/anvil.ts"
import * as Value from "../../../support/chain-values.ts"
import {
  dollars,
  funded,
  nowOf,
  orderOf,
  placed,
  requestOf,
  signed,
  venue
} from "../../../support/cow-venue.ts"
import { CowWorld, layer as cow, trader } from "../../../support/cow-world.ts"

const invalidate = parseAbi(["function invalidateOrder(bytes orderUid)"])

/** Blocks after which what stands in one is finalized. */
const settled = 3

const tagOf = Effect.fnUntraced(function* (
  order: Parameters<typeof signed>[1] & { orderId: string; signature: string }
) {
  return (yield* (yield* venue).status(order))._tag
})

layer(cow.pipe(Layer.provideMerge(Anvil.layer)))("a swap by order", (it) => {
  it.effect("a quote takes its fee out of what is sold and offers what is left", () =>
    Effect.gen(function* () {
      const { quote } = yield* venue
      const request = yield* requestOf(trader())
      const offered = yield* quote(request)
      assert.strictEqual(offered.sellAmount, 1000n * dollars)
      // 999 USDC at 2,500 a whole one, less the pool's 0.3 %.
      assert.strictEqual(offered.buyAmount, 398_401_200_000_000_000n)
      assert.deepStrictEqual(offered.fees, [
        {
          kind: "network",
          amount: { token: { chainId: "local", address: request.sell }, units: dollars }
        }
      ])
    })
  )

  it.effect("tokens without liquidity have no route, and nothing cannot be sold", () =>
    Effect.gen(function* () {
      const { quote } = yield* venue
      const owner = trader()
      const unknown = yield* requestOf(owner, { buy: Value.key(trader().address) })
      assert.propertyVal(yield* Effect.flip(quote(unknown)), "_tag", "RouteNotAvailable")
      const same = yield* requestOf(owner)
      const itself = { ...same, buy: same.sell }
      assert.propertyVal(yield* Effect.flip(quote(itself)), "_tag", "RouteNotAvailable")
      for (const sellAmount of [0n, 999n]) {
        const dust = yield* requestOf(owner, { sellAmount })
        assert.propertyVal(yield* Effect.flip(quote(dust)), "_tag", "AmountBelowMinimum")
      }
    })
  )

  it.effect("an order is filled, which is final only when its block is", () =>
    Effect.gen(function* () {
      const { balanceOf, settleAll, weth } = yield* CowWorld
      const { mine } = yield* Anvil.AnvilChain
      const order = yield* placed()
      assert.strictEqual(yield* tagOf(order), "open")
      assert.strictEqual(yield* settleAll, 1)
      const seen = yield* (yield* venue).status(order)
      assert.propertyVal(seen, "isFinal", false)
      yield* mine(settled)
      const filled = yield* (yield* venue).status(order)
      if (filled._tag !== "filled") return assert.fail(filled._tag)
      assert.isTrue(filled.isFinal)
      assert.strictEqual(filled.fill.soldAmount, order.sellAmount)
      assert.strictEqual(filled.fill.boughtAmount, yield* balanceOf(weth, order.owner))
      assert.isTrue(filled.fill.boughtAmount >= order.minBuyAmount)
    })
  )

  it.effect("what is bought is what the receiver got, whoever sold", () =>
    Effect.gen(function* () {
      const { balanceOf, settleAll, weth } = yield* CowWorld
      const receiver = Value.key(trader().address)
      const order = yield* placed({ receiver })
      yield* settleAll
      const filled = yield* (yield* venue).status(order)
      if (filled._tag !== "filled") return assert.fail(filled._tag)
      assert.strictEqual(filled.fill.boughtAmount, yield* balanceOf(weth, receiver))
      assert.strictEqual(yield* balanceOf(weth, order.owner), 0n)
    })
  )

  it.effect("an order that is handed over again is no second order", () =>
    Effect.gen(function* () {
      const { book, settleAll } = yield* CowWorld
      const { place } = yield* venue
      const order = yield* placed()
      yield* place(order)
      yield* settleAll
      yield* place(order)
      assert.strictEqual(yield* settleAll, 0)
      assert.property(yield* book.settle(order.orderId), "refused")
    })
  )

  it.effect("without allowance or balance an order is refused by name", () =>
    Effect.gen(function* () {
      const { approve, usdc } = yield* CowWorld
      const { place } = yield* venue
      const owner = yield* funded()
      const rich = yield* signed(owner, yield* orderOf(owner, { sellAmount: 20_000n * dollars }))
      assert.propertyVal(yield* Effect.flip(place(rich)), "detail", "InsufficientBalance")
      yield* approve(owner.address, usdc, 0n)
      const order = yield* signed(owner, yield* orderOf(owner))
      assert.propertyVal(yield* Effect.flip(place(order)), "detail", "InsufficientAllowance")
    })
  )

  it.effect("an order whose price is gone stays open and dies of its time, and costs nothing", () =>
    Effect.gen(function* () {
      const { balanceOf, setPrice, settleAll, usdc, weth } = yield* CowWorld
      const { mine, timePasses } = yield* Anvil.AnvilChain
      const order = yield* placed()
      yield* setPrice(weth, 3_250_000_000n)
      assert.strictEqual(yield* settleAll, 0)
      assert.strictEqual(yield* tagOf(order), "open")
      yield* timePasses(1201)
      // The block is later than the order lasts, and not final yet.
      assert.strictEqual(yield* tagOf(order), "open")
      yield* mine(settled)
      assert.strictEqual(yield* tagOf(order), "dead")
      assert.strictEqual(yield* balanceOf(usdc, order.owner), 10_000n * dollars)
      yield* setPrice(weth, 2_500_000_000n)
    })
  )

  it.effect("an order filled in its last second is not dead afterwards", () =>
    Effect.gen(function* () {
      const { settleAll } = yield* CowWorld
      const { mine, timePasses } = yield* Anvil.AnvilChain
      const order = yield* placed()
      assert.strictEqual(yield* settleAll, 1)
      yield* timePasses(1300)
      yield* mine(settled)
      assert.strictEqual(yield* tagOf(order), "filled")
    })
  )

  it.effect("a filled order whose count was wiped after its end is still filled", () =>
    Effect.gen(function* () {
      const { book, settleAll } = yield* CowWorld
      const { mine, timePasses } = yield* Anvil.AnvilChain
      const order = yield* placed()
      assert.strictEqual(yield* settleAll, 1)
      yield* timePasses(1300)
      yield* book.wipe(order.orderId)
      yield* mine(settled)
      assert.strictEqual(yield* tagOf(order), "filled")
    })
  )

  it.effect("a reorganisation opens a filled order again, and it is filled once", () =>
    Effect.gen(function* () {
      const { balanceOf, settleAll, usdc } = yield* CowWorld
      const { reorg } = yield* Anvil.AnvilChain
      const order = yield* placed()
      yield* settleAll
      assert.strictEqual(yield* tagOf(order), "filled")
      yield* reorg(1)
      assert.strictEqual(yield* tagOf(order), "open")
      assert.strictEqual(yield* settleAll, 1)
      assert.strictEqual(yield* tagOf(order), "filled")
      assert.strictEqual(yield* balanceOf(usdc, order.owner), 9000n * dollars)
    })
  )

  it.effect("an order invalidated on the chain is dead once that is final, and says by what", () =>
    Effect.gen(function* () {
      const { sendFrom } = yield* CowWorld
      const { mine } = yield* Anvil.AnvilChain
      const order = yield* placed()
      const data = encodeFunctionData({
        abi: invalidate,
        functionName: "invalidateOrder",
        args: [order.orderId as `0x${string}`]
      })
      yield* sendFrom(order.owner, settlement, data)
      assert.strictEqual(yield* tagOf(order), "open")
      yield* mine(settled)
      const dead = yield* (yield* venue).status(order)
      if (dead._tag !== "dead") return assert.fail(dead._tag)
      assert.match(String(dead.txId), /^0x[0-9a-f]{64}$/u)
    })
  )

  it.effect("an order is filled or invalidated, whichever comes first", () =>
    Effect.gen(function* () {
      const { sendFrom, settleAll } = yield* CowWorld
      const { mine } = yield* Anvil.AnvilChain
      const order = yield* placed()
      yield* settleAll
      const data = encodeFunctionData({
        abi: invalidate,
        functionName: "invalidateOrder",
        args: [order.orderId as `0x${string}`]
      })
      yield* sendFrom(order.owner, settlement, data)
      yield* mine(settled)
      assert.strictEqual(yield* tagOf(order), "filled")
    })
  )

  it.effect("an order that the book does not have is absent, and may be handed over again", () =>
    Effect.gen(function* () {
      const { book, settleAll } = yield* CowWorld
      const order = yield* placed()
      yield* book.forget
      assert.strictEqual(yield* tagOf(order), "absent")
      yield* (yield* venue).place(order)
      assert.strictEqual(yield* settleAll, 1)
      assert.strictEqual(yield* tagOf(order), "filled")
    })
  )

  it.effect("a book that had an order is asked for it once a minute, and the chain each time", () =>
    Effect.gen(function* () {
      const { book, settleAll } = yield* CowWorld
      const made = yield* venue
      const order = yield* placed()
      let asked = 0
      yield* book.meddle(async ({ body, method }, answer) => {
        if (method === "GET") asked += 1
        return answer(body)
      })
      for (const _ of [1, 2, 3]) assert.strictEqual((yield* made.status(order))._tag, "open")
      assert.strictEqual(asked, 1)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* made.status(order))._tag, "open")
      assert.strictEqual(asked, 2)
      yield* settleAll
      assert.strictEqual((yield* made.status(order))._tag, "filled")
      assert.strictEqual(asked, 2)
      yield* book.meddle()
    })
  )

  it.effect("an answer that is lost after the book took the order changes nothing", () =>
    Effect.gen(function* () {
      const { book, settleAll } = yield* CowWorld
      const { place } = yield* venue
      const owner = yield* funded()
      const order = yield* signed(owner, yield* orderOf(owner))
      yield* book.meddle(async ({ body, method }, answer) => {
        const said = await answer(body)
        return method === "POST" ? undefined : said
      })
      assert.propertyVal(yield* Effect.flip(place(order)), "reason", "unreachable")
      yield* book.meddle()
      assert.strictEqual(yield* tagOf(order), "open")
      yield* place(order)
      assert.strictEqual(yield* settleAll, 1)
    })
  )

  it.effect("a book that is away is told as such, and what the chain has counts without it", () =>
    Effect.gen(function* () {
      const { book, settleAll } = yield* CowWorld
      const { quote, status } = yield* venue
      const order = yield* placed()
      const request = yield* requestOf(trader())
      yield* book.meddle(async () => undefined)
      assert.propertyVal(yield* Effect.flip(quote(request)), "reason", "unreachable")
      assert.propertyVal(yield* Effect.flip(status(order)), "_tag", "VenueUnavailable")
      yield* settleAll
      assert.strictEqual(yield* tagOf(order), "filled")
      yield* book.meddle(async () => ({ status: 429, body: "" }))
      assert.propertyVal(yield* Effect.flip(quote(request)), "reason", "limited")
      yield* book.meddle(async () => ({ status: 503, body: "" }))
      assert.propertyVal(yield* Effect.flip(quote(request)), "reason", "unreachable")
      yield* book.meddle()
    })
  )

  it.effect("a chain that is away ends no order", () =>
    Effect.gen(function* () {
      const { outage } = yield* Anvil.AnvilChain
      const { status } = yield* venue
      const order = yield* placed({ validTo: (yield* nowOf) + 1200 })
      yield* outage(true)
      assert.propertyVal(yield* Effect.flip(status(order)), "_tag", "ChainUnavailable")
      yield* outage(false)
    })
  )

  it.effect("a quote of other tokens, amounts or receivers than were asked about is no quote", () =>
    Effect.gen(function* () {
      const { book } = yield* CowWorld
      const { quote } = yield* venue
      const request = yield* requestOf(trader())
      const lies = {
        receiver: trader().address,
        sellToken: trader().address,
        buyToken: trader().address,
        sellAmount: "1",
        feeAmount: "999000001",
        buyAmount: "-5",
        kind: "buy"
      }
      for (const [field, lie] of Object.entries(lies)) {
        yield* book.meddle(async ({ body }, answer) => {
          const said = await answer(body)
          const told = said.body as { readonly quote: object }
          return { ...said, body: { ...told, quote: { ...told.quote, [field]: lie } } }
        })
        assert.propertyVal(yield* Effect.flip(quote(request)), "reason", "malformed", field)
      }
      yield* book.meddle()
    })
  )

  it.effect("a book that calls the order by another uid has not taken it", () =>
    Effect.gen(function* () {
      const { book } = yield* CowWorld
      const { place } = yield* venue
      const owner = yield* funded()
      const order = yield* signed(owner, yield* orderOf(owner))
      yield* book.meddle(async ({ body }, answer) => ({
        ...(await answer(body)),
        body: `0x${"ab".repeat(56)}`
      }))
      assert.propertyVal(yield* Effect.flip(place(order)), "reason", "malformed")
      yield* book.meddle()
    })
  )
})
