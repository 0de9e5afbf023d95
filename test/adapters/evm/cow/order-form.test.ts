/** Bytes that are signed for an order: those of CoW Protocol's own form of it, and of no other message. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import fc from "fast-check"
import { hashTypedData, hexToBytes } from "viem/utils"
import * as Order from "../../../../adapters/evm/cow/order.ts"
import { venuesOf } from "../../../../adapters/evm/cow/venue.ts"
import * as Chain from "../../../../core/chains/chain.ts"
import { SwapOrder, type SwapVenue, SwapVenues } from "../../../../core/ports/swap-venue.ts"
import { isOfOrder } from "../../../../core/swaps/order-form.ts"
import * as Value from "../../../support/chain-values.ts"

const addressOf = (digit: string) => Value.key(`0x${digit.repeat(40)}`)

const order: SwapOrder = {
  identity: "ab".repeat(32),
  chainId: "local",
  owner: addressOf("1"),
  receiver: addressOf("2"),
  sell: addressOf("3"),
  sellAmount: 1_000_000_000n,
  buy: addressOf("4"),
  minBuyAmount: 398_000n,
  validTo: 2_000_000_000
}

const asked = {
  act: "order" as const,
  call: Schema.encodeSync(Schema.toCodecJson(SwapOrder))(order) as Schema.JsonObject,
  chainId: "local"
}

const venues = venuesOf([
  {
    chain: Chain.find("local") as Chain.Chain,
    usdc: order.sell,
    confirmations: 1,
    pollMs: 1,
    rpcUrl: "http://127.0.0.1:1",
    orderBookUrl: "http://127.0.0.1:1"
  }
])

const isTaken = (bytes: Uint8Array, over: object = {}, of: ReadonlyArray<SwapVenue> = venues) =>
  Effect.runSync(
    Effect.provideService(isOfOrder({ ...asked, ...over }, bytes), SwapVenues, { venues: of })
  )

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((each) => `0x${Buffer.from(each).toString("hex")}` as const)
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

/** One field of the message, or of its domain, each with what it might be instead. */
const altered: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  sellToken: hex(20),
  buyToken: hex(20),
  receiver: hex(20),
  sellAmount: amount,
  buyAmount: amount,
  validTo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  appData: hex(32),
  feeAmount: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
  kind: fc.constantFrom("buy", "SELL", "", "sell "),
  partiallyFillable: fc.constant(true),
  sellTokenBalance: fc.constantFrom("internal", "external", ""),
  buyTokenBalance: fc.constantFrom("internal", "external", ""),
  name: fc.constantFrom("Gnosis Protocol ", "USD Coin"),
  version: fc.constantFrom("v1", "2"),
  chainId: fc.integer({ min: 1, max: 31336 }),
  verifyingContract: hex(20)
}

it("the bytes of an order are taken for it", () => {
  assert.isTrue(isTaken(hexToBytes(Order.digestOf(order))))
})

it.each(Object.entries(altered))(
  "another %s makes bytes that are signed for no order",
  (field, values) => {
    fc.assert(
      fc.property(values, (value) => {
        const typed = Order.typed(order)
        const isOfDomain = field in typed.domain
        const message = isOfDomain ? typed.message : { ...typed.message, [field]: value }
        const domain = isOfDomain ? { ...typed.domain, [field]: value } : typed.domain
        const digest = hashTypedData({ ...typed, domain, message } as typeof typed)
        fc.pre(digest !== Order.digestOf(order))
        assert.isFalse(isTaken(hexToBytes(digest)))
      })
    )
  }
)

it("bytes of any other kind, and orders where there is no venue, are signed for no order", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      assert.isFalse(isTaken(bytes))
    })
  )
  assert.isFalse(isTaken(hexToBytes(Order.digestOf(order)), { chainId: "base" }))
  assert.isFalse(isTaken(hexToBytes(Order.digestOf(order)), { call: null }))
})

it("bytes that only begin or end as the order's are signed for no order", () => {
  const bytes = [...hexToBytes(Order.digestOf(order))]
  for (const each of [[...bytes, 0], [0, ...bytes], bytes.slice(1), bytes.slice(0, -1), []]) {
    assert.isFalse(isTaken(Uint8Array.from(each)), `${each.length}`)
  }
})

it("an order of another chain than it is asked for on is signed for neither", () => {
  const elsewhere = { ...order, chainId: "base" }
  const call = Schema.encodeSync(Schema.toCodecJson(SwapOrder))(elsewhere)
  assert.isFalse(isTaken(hexToBytes(Order.digestOf(elsewhere)), { call }))
  assert.isFalse(isTaken(hexToBytes(Order.digestOf(elsewhere)), { call, chainId: "base" }))
})

it("an order is signed for no venue that is not there, or that takes none", () => {
  const bytes = hexToBytes(Order.digestOf(order))
  assert.isFalse(isTaken(bytes, {}, []))
  const others = venues.map((each) => ({ ...each, execution: "transaction" }))
  assert.isFalse(isTaken(bytes, {}, others as never))
})

it("what is no order is for the rules of its kind to judge", () => {
  for (const act of ["call", "transfer", "permit"]) {
    assert.isTrue(isTaken(new Uint8Array(), { act, call: null }), act)
  }
})
