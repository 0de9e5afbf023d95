/** What a wallet signs of a swap: an order each field of which follows from what was approved, and nothing else. */
import { DateTime } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type EvmCall, termsOf } from "../../../core/evm/call.ts"
import type { SwapOrder } from "../../../core/ports/swap-venue.ts"
import type { SigningRequest } from "../../../core/proposals/kind.ts"
import { cancelPart } from "../../../core/swaps/cancel-order.ts"
import type { Records } from "../../../core/swaps/sign-order.ts"
import {
  address,
  against,
  callOf,
  chainId,
  openedAt,
  openedSeconds,
  order,
  requestOf,
  sale,
  terms,
  violation,
  waitWith
} from "../../support/approved-orders.ts"
import * as Value from "../../support/chain-values.ts"

const anAddress = fc.stringMatching(/^[0-9a-f]{40}$/u).map((digits) => Value.key(`0x${digits}`))
const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const otherThan = <A>(values: fc.Arbitrary<A>, own: A) => values.filter((each) => each !== own)

/** What the field may be instead, whatever else holds. */
const wrong: { readonly [Field in keyof SwapOrder]: fc.Arbitrary<SwapOrder[Field]> } = {
  identity: fc.string().filter((each) => each !== order.identity),
  chainId: fc.constantFrom("base", "ethereum", "local2", ""),
  owner: otherThan(anAddress, order.owner),
  receiver: otherThan(anAddress, order.receiver),
  sell: otherThan(anAddress, order.sell),
  sellAmount: otherThan(units, order.sellAmount),
  buy: otherThan(anAddress, order.buy),
  minBuyAmount: fc.bigInt(0n, terms.minBuyAmount - 1n),
  validTo: fc.integer({ min: openedSeconds + 20 * 60 + 1, max: 2 ** 32 })
}
const fields = Object.keys(wrong) as ReadonlyArray<keyof SwapOrder>

describe("an order of a swap", () => {
  it("that follows from what was approved and written down is signed", () => {
    assert.isUndefined(against(order))
  })

  it.each(fields)(
    "with another %s than was approved is not signed, though it was written down",
    (field) => {
      fc.assert(
        fc.property(wrong[field], (value) => {
          assert.isDefined(against({ ...order, [field]: value }))
        })
      )
    }
  )

  it("that names others than it is asked for by is not signed, though it was written down", () => {
    for (const over of [
      { owner: address("9") },
      { receiver: address("9") },
      { sell: address("9") }
    ]) {
      const other = { ...order, ...over }
      // Asked for as the terms have it: only the order itself says otherwise.
      assert.isDefined(against(other, { ...requestOf(order), call: callOf(other) }))
    }
  })

  it.each(fields)("with another %s than was written down is not signed", (field) => {
    const another = fc.oneof(
      wrong[field] as fc.Arbitrary<unknown>,
      // Better for the wallet than what was written down, and not it.
      ...(field === "minBuyAmount" ? [fc.bigInt({ min: 398_001n, max: 2n ** 200n })] : []),
      ...(field === "validTo" ? [fc.integer({ min: 0, max: order.validTo - 1 })] : [])
    )
    fc.assert(
      fc.property(another, (value) => {
        const altered = { ...order, [field]: value }
        const records = { sale, waits: [waitWith(order)] }
        assert.isDefined(violation(requestOf(altered), terms, records))
      })
    )
  })

  it("that is asked for as something else than it is is not signed", () => {
    const request = requestOf(order)
    const { amount } = request
    const misnamed: Readonly<Record<string, Partial<SigningRequest>>> = {
      "an act on the chain": { act: "transfer" },
      "a call": { act: "call" },
      "a permit": { act: "permit" },
      "no order": { call: null },
      "an order without a field": { call: { owner: order.owner } },
      "another wallet": { walletId: "another" },
      "another chain": { chainId: "base" },
      "another owner": { from: address("9") },
      "another receiver": { to: address("9") },
      "another token": { amount: { ...amount, token: { chainId, address: address("9") } } },
      "another amount": { amount: { ...amount, units: 1n } }
    }
    for (const [name, over] of Object.entries(misnamed)) {
      assert.isDefined(against(order, { ...request, ...over }), name)
    }
  })

  it("that is signed already, or waited for no more, or held by no sale, is not signed", () => {
    const signed = { order: callOf(order), signed: { ...callOf(order), orderId: "1" } }
    const ended = { isDone: false, evidence: null, at: openedAt }
    const records = {
      "signed already": { sale, waits: [waitWith(order, { journal: signed })] },
      "not written down": { sale, waits: [waitWith(order, { journal: {} })] },
      "waited for no more": { sale, waits: [waitWith(order, { ended })] },
      "waited for by nobody": { sale, waits: [] },
      "held by no sale": { sale: undefined, waits: [waitWith(order)] },
      "of a sale that was released": {
        sale: { ...sale, state: "released" as const },
        waits: [waitWith(order)]
      },
      "of a day that is closed": { sale, waits: [waitWith(order)], isClosed: true }
    }
    for (const [name, each] of Object.entries(records)) {
      assert.isDefined(violation(requestOf(order), terms, each), name)
    }
  })

  it("of a later try ends within twenty minutes of the first one too", () => {
    const first = waitWith(order, { ended: { isDone: false, evidence: null, at: openedAt } })
    const second = (validTo: number) => {
      const later = { ...order, validTo }
      const opened = DateTime.add(openedAt, { minutes: 15 })
      const waits = [first, waitWith(later, { n: 2, openedAt: opened })]
      return violation(requestOf(later), terms, { sale, waits })
    }
    assert.isUndefined(second(openedSeconds + 20 * 60))
    assert.isDefined(second(openedSeconds + 20 * 60 + 1))
  })
})

const settlement = address("7")
const invalidation = { to: settlement, call: termsOf({ to: settlement, data: "0x15", value: 0n }) }

/** The call that ends the order, as its swap asks for it. */
const cancelling: SigningRequest = {
  ...requestOf(order),
  ...{ act: "call", to: settlement, call: invalidation.call, part: cancelPart }
}

const cancelled = (request: SigningRequest, over: Partial<Records> = {}) =>
  violation(request, terms, { sale, waits: [], isStopAsked: true, invalidation, ...over })

describe("the cancellation of an order", () => {
  it("that its swap was asked for is signed", () => {
    assert.isUndefined(cancelled(cancelling))
  })

  it("is not signed while nobody has asked, or when no signed order waits", () => {
    assert.isDefined(cancelled(cancelling, { isStopAsked: false }))
    assert.isDefined(cancelled(cancelling, { invalidation: undefined }))
  })

  it("with anything else than the call that ends it is not signed", () => {
    const { amount } = cancelling
    const other = (over: Partial<EvmCall>) => ({
      call: termsOf({ to: settlement, data: "0x15", value: 0n, ...over })
    })
    const wrong: Readonly<Record<string, Partial<SigningRequest>>> = {
      "an order": { act: "order" },
      "a transfer": { act: "transfer" },
      "a permit": { act: "permit" },
      "no call": { call: null },
      "another contract that is called": other({ to: address("9") }),
      "other data": other({ data: "0x16" }),
      "more data": other({ data: "0x1500" }),
      "coin that is given": other({ value: 1n }),
      "an answer that is expected": other({
        expect: { to: settlement, data: "0x", answer: "0x" }
      }),
      "another contract": { to: address("9") },
      "another wallet": { walletId: "another" },
      "another chain": { chainId: "base" },
      "another address": { from: address("9") },
      "another token": { amount: { ...amount, token: { chainId, address: address("9") } } },
      "another amount": { amount: { ...amount, units: 1n } },
      "no part of its own": { part: null },
      "another part": { part: "permit" }
    }
    for (const [name, over] of Object.entries(wrong)) {
      assert.isDefined(cancelled({ ...cancelling, ...over }), name)
    }
  })
})
