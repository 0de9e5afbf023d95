/**
 * What a wallet's key may sign for a bridge: each line of the rule is tried alone, with everything else as it was approved,
 * and tells its own violation. One that went missing would let a provider have a call of its own signed.
 */
import { DateTime, type Schema } from "effect"
import { assert, describe, it } from "vitest"
import { canSign, type Records } from "../../../core/bridges/signing.ts"
import { deliveryPart, permitPart } from "../../../core/bridges/steps.ts"
import { journeyOf, type Terms } from "../../../core/bridges/terms.ts"
import { Address } from "../../../core/chains/address.ts"
import type { Bridge, Departure, Journey } from "../../../core/ports/bridge.ts"
import type { SigningRequest } from "../../../core/proposals/kind.ts"
import * as Value from "../../support/chain-values.ts"

const address = (digit: string) => Value.key(`0x${digit.repeat(40)}`)
const [sender, receiver, sold, bought, spender, elsewhere] = [
  address("1"),
  address("2"),
  address("3"),
  address("4"),
  address("5"),
  address("9")
]
const now = DateTime.makeUnsafe(2_000_000_000_000)
const units = 1_000_000_000n

const terms: Terms = {
  fromWalletId: "from",
  fromAddress: Address.make(sender),
  toWalletId: "to",
  receiver: Address.make(receiver),
  sell: { chainId: "local", tokenAddress: Address.make(sold), symbol: "USDC", decimals: 6 },
  sellAmount: units,
  buy: { chainId: "local-2", tokenAddress: Address.make(bought), symbol: "USDC", decimals: 6 },
  minBuyAmount: 990_000_000n,
  protocol: "cctp",
  slippagePercent: "0.5",
  worthUsd: "1000",
  maxCostUsd: "40",
  maxCoin: { leaving: 7n, cancelling: 0n, claiming: 0n },
  notAfter: now
}

const call = { to: spender, data: "0x15", value: "7" }
const ending = { to: elsewhere, data: "0x16", value: "0" }

const journey = journeyOf(terms, "identity", { minBuyAmount: 990_000_000n, offer: {} })

/** As far as the rule asks a bridge. */
const bridgeWith = (over: Partial<Departure> = {}) =>
  ({
    departure: () => ({ spender, call, coinUnits: 7n, ...over }),
    isArrival: (_: Journey, told: Schema.JsonObject) => told.data === ending.data
  }) as unknown as Bridge

const recordsWith = (over: Partial<Records> = {}, departure: Partial<Departure> = {}): Records => ({
  reading: { bridge: bridgeWith(departure), approved: terms, identity: "identity" },
  journey,
  isOpened: true,
  isHandedOver: false,
  isClosed: false,
  now,
  ...over
})

const departing: SigningRequest = {
  act: "call",
  from: sender,
  to: spender,
  amount: { token: { chainId: "local", address: sold }, units },
  identity: "identity",
  call,
  proposalId: "proposal",
  accountId: "account",
  walletId: "from",
  chainId: "local",
  key: { backend: "memory", ref: "key" },
  token: sold,
  part: null
}
const permitting: SigningRequest = { ...departing, act: "permit", call: null, part: permitPart }
const delivering: SigningRequest = {
  ...departing,
  from: receiver,
  to: elsewhere,
  call: ending,
  walletId: "to",
  chainId: "local-2",
  part: deliveryPart(1)
}

const later = DateTime.add(now, { milliseconds: 1 })
const { amount } = departing

/** Of the wallet that gives, whatever it signs. */
const ofSender: Readonly<Record<string, Partial<SigningRequest>>> = {
  "the terms name another wallet": { walletId: "another" },
  "the terms name another chain": { chainId: "base" },
  "the terms name another address": { from: elsewhere },
  "the terms name another token": { token: elsewhere },
  "the terms name another amount": { amount: { ...amount, units: units + 1n } }
}

describe("the departure of a bridge", () => {
  it("is signed as it was approved, until its time is over and not a moment longer", () => {
    assert.isUndefined(canSign(departing, terms, recordsWith()))
    assert.strictEqual(canSign(departing, terms, recordsWith({ now: later })), "its time is over")
  })

  it("is signed again after its time when it was handed over within it, to be replaced", () => {
    const late = recordsWith({ now: later, isHandedOver: true })
    assert.isUndefined(canSign(departing, terms, late))
    assert.strictEqual(canSign(permitting, terms, late), "its time is over")
  })

  const lines: Readonly<Record<string, Partial<SigningRequest>>> = {
    ...ofSender,
    "a bridge departs by nothing but its call": { act: "permit" },
    "the bridge is another contract": { to: elsewhere }
  }
  it.each(Object.entries(lines))("is not signed, because %s", (sentence, over) => {
    assert.strictEqual(canSign({ ...departing, ...over }, terms, recordsWith()), sentence)
  })

  it("is not signed with any other call, nor with a bridge that takes by another contract", () => {
    const other = "the call is not the one that follows from the terms"
    for (const told of [
      { ...call, data: "0x1500" },
      { ...call, to: elsewhere },
      { ...call, value: "8" },
      { ...call, more: 1 },
      null
    ]) {
      assert.strictEqual(canSign({ ...departing, call: told }, terms, recordsWith()), other)
    }
    assert.strictEqual(
      canSign(departing, terms, recordsWith({}, { spender: elsewhere })),
      "the bridge is another contract"
    )
  })

  it("is not signed for less than the floor, nor for more coin than was approved", () => {
    const less = { journey: { ...journey, minBuyUnits: terms.minBuyAmount - 1n } }
    assert.strictEqual(
      canSign(departing, terms, recordsWith(less)),
      "less would arrive than was approved"
    )
    const more = { journey: { ...journey, minBuyUnits: terms.minBuyAmount + 1n } }
    assert.isUndefined(canSign(departing, terms, recordsWith(more)))
    const dear = "more of the chain's coin would be given than was approved"
    assert.strictEqual(canSign(departing, terms, recordsWith({}, { coinUnits: 8n })), dear)
    assert.isUndefined(canSign(departing, terms, recordsWith({}, { coinUnits: 6n })))
    const { maxCoin, ...bare } = terms
    assert.isDefined(maxCoin)
    assert.strictEqual(canSign(departing, bare, recordsWith({}, { coinUnits: 1n })), dear)
    assert.isUndefined(canSign(departing, bare, recordsWith({}, { coinUnits: 0n })))
  })

  it("is not signed on a closed day, unless it was handed over before that", () => {
    const closed = recordsWith({ isClosed: true })
    assert.strictEqual(canSign(departing, terms, closed), "its day is closed")
    assert.strictEqual(canSign(permitting, terms, closed), "its day is closed")
    const begun = { ...closed, isHandedOver: true }
    assert.isUndefined(canSign(departing, terms, begun))
    assert.strictEqual(canSign(permitting, terms, begun), "its day is closed")
    assert.isUndefined(canSign(delivering, terms, closed))
  })

  it("is not signed before it was opened", () => {
    const unopened = recordsWith({ isOpened: false })
    assert.strictEqual(canSign(departing, terms, unopened), "it was not opened")
    assert.strictEqual(canSign(permitting, terms, unopened), "it was not opened")
  })
})

describe("the permit of a bridge", () => {
  it("is signed for exactly what leaves", () => {
    assert.isUndefined(canSign(permitting, terms, recordsWith()))
  })

  const lines: Readonly<Record<string, Partial<SigningRequest>>> = {
    ...ofSender,
    "the permit of a bridge is nothing but a permit": { act: "call" },
    "the bridge takes by another contract": { to: elsewhere }
  }
  it.each(Object.entries(lines))("is not signed, because %s", (sentence, over) => {
    assert.strictEqual(canSign({ ...permitting, ...over }, terms, recordsWith()), sentence)
  })

  it("is not signed for an allowance larger or smaller than what leaves", () => {
    for (const other of [units * 2n, 2n ** 256n - 1n, units - 1n, 0n]) {
      const request = { ...permitting, amount: { ...amount, units: other } }
      assert.strictEqual(canSign(request, terms, recordsWith()), "the terms name another amount")
    }
  })

  it("is not signed where the bridge takes none", () => {
    assert.strictEqual(
      canSign(permitting, { ...terms, protocol: "dln" }, recordsWith()),
      "such a bridge takes no permit"
    )
  })

  it("is not signed after its time", () => {
    const late = recordsWith({ now: later })
    assert.strictEqual(canSign(permitting, terms, late), "its time is over")
  })
})

describe("what ends a bridge", () => {
  it("is signed whenever it comes, by the wallet that receives, opened or not", () => {
    assert.isUndefined(canSign(delivering, terms, recordsWith({ now: later })))
    assert.isUndefined(canSign(delivering, terms, recordsWith({ isOpened: false })))
  })

  const lines: Readonly<Record<string, Partial<SigningRequest>>> = {
    "a delivery is nothing but a call": { act: "permit" },
    "the terms name another wallet": { walletId: "from" },
    "the terms name another chain": { chainId: "local" },
    "the terms name another address": { from: sender },
    "the call ends something else": { call }
  }
  it.each(Object.entries(lines))("is not signed, because %s", (sentence, over) => {
    assert.strictEqual(canSign({ ...delivering, ...over }, terms, recordsWith()), sentence)
  })

  it("is not signed without a call", () => {
    assert.strictEqual(
      canSign({ ...delivering, call: null }, terms, recordsWith()),
      "the call ends something else"
    )
  })
})
