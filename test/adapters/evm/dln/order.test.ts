/**
 * The order of a journey, without a chain: every field of it follows from the journey, an order that differs in any one of
 * them is another one, and the wallet signs no call that takes back anything but its own within what was approved.
 */
import type { Hex } from "viem"
import {
  concat,
  decodeFunctionData,
  encodeFunctionData,
  encodePacked,
  keccak256,
  parseAbi,
  size
} from "viem/utils"
import { assert, describe, it } from "vitest"
import { keyOf } from "../../../../adapters/evm/contract.ts"
import { abi } from "../../../../adapters/evm/dln/contracts.ts"
import * as Dln from "../../../../adapters/evm/dln/order.ts"
import * as Terms from "../../../../adapters/evm/dln/terms.ts"
import type { Journey } from "../../../../core/ports/bridge.ts"

const sender = keyOf(`0x${"a1".repeat(20)}`)
const receiver = keyOf(`0x${"b2".repeat(20)}`)
const sold = keyOf(`0x${"c3".repeat(20)}`)
const bought = keyOf(`0x${"d4".repeat(20)}`)
const stranger: Hex = `0x${"e5".repeat(20)}`

const journey: Journey = {
  identity: `0123456789abcdef${"7".repeat(48)}`,
  from: { chainId: "base", token: sold },
  sender,
  to: { chainId: "arbitrum", token: bought },
  receiver,
  units: 1_000_000_007n,
  minBuyUnits: 990_000_003n,
  coin: { leaving: 10n, cancelling: 1_000n, claiming: 50n },
  terms: Terms.write({ feeBps: 4, nativeFee: 10n })
}

/** Written out by hand: what limit orders of these chains and wallets have to say. */
const honest: Dln.Order = {
  makerOrderNonce: 0x0123456789abcdefn,
  makerSrc: sender as Hex,
  giveChainId: 8453n,
  giveTokenAddress: sold as Hex,
  giveAmount: 999_600_007n,
  takeChainId: 42161n,
  takeTokenAddress: bought as Hex,
  takeAmount: 990_000_003n,
  receiverDst: receiver as Hex,
  givePatchAuthoritySrc: sender as Hex,
  orderAuthorityAddressDst: receiver as Hex,
  allowedTakerDst: "0x",
  allowedCancelBeneficiarySrc: sender as Hex,
  externalCall: "0x"
}

/** One field at a time, as somebody else would have it. */
const altered: ReadonlyArray<Partial<Dln.Order>> = [
  { makerSrc: stranger },
  { giveChainId: 1n },
  { giveTokenAddress: stranger },
  { takeChainId: 1n },
  { takeTokenAddress: stranger },
  { takeAmount: honest.takeAmount - 1n },
  { takeAmount: 0n },
  { receiverDst: stranger },
  { givePatchAuthoritySrc: stranger },
  { orderAuthorityAddressDst: stranger },
  { allowedTakerDst: stranger },
  { allowedCancelBeneficiarySrc: stranger },
  { allowedCancelBeneficiarySrc: "0x" },
  { externalCall: "0x01" }
]

const upper = (text: Hex): Hex => `0x${text.slice(2).toUpperCase()}`

const most = 1_050n
const reward = 50n
const callOf = (
  order: Dln.Order,
  {
    rewardWei = reward,
    value = most
  }: { readonly value?: bigint; readonly rewardWei?: bigint } = {},
  by = journey
) => Dln.cancellationOf(order, by, value, rewardWei)

describe("the order of a journey", () => {
  it("has every field as the journey says it, and gives what is left after the fee", () => {
    assert.deepStrictEqual(Dln.orderOf(journey), honest)
    const free = { ...journey, terms: Terms.write({ feeBps: 0, nativeFee: 10n }) }
    assert.strictEqual(Dln.orderOf(free).giveAmount, journey.units)
  })

  it("is made between chains that have limit orders, and nowhere else", () => {
    const elsewhere = { ...journey, to: { chainId: "solana", token: bought } }
    assert.throws(() => Dln.orderOf(elsewhere), /solana has no limit orders/u)
  })

  it("is known by an id that no order with another field has", () => {
    const others = [
      ...altered,
      { makerOrderNonce: 1n },
      { giveAmount: honest.giveAmount + 1n },
      { takeAmount: honest.takeAmount + 1n }
    ].filter(({ externalCall }) => externalCall === undefined)
    const ids = others.map((over) => Dln.idOf({ ...honest, ...over }))
    const id = Dln.idOf(honest)
    const sized = (bytes: Hex) => encodePacked(["uint8", "bytes"], [size(bytes), bytes])
    const wide = (value: bigint) => encodePacked(["uint256"], [value])
    const packedOf = ({ makerOrderNonce }: Dln.Order) =>
      concat([
        encodePacked(["uint64"], [makerOrderNonce]),
        ...[sized(honest.makerSrc), wide(honest.giveChainId), sized(honest.giveTokenAddress)],
        ...[wide(honest.giveAmount), wide(honest.takeChainId), sized(honest.takeTokenAddress)],
        ...[
          wide(honest.takeAmount),
          sized(honest.receiverDst),
          sized(honest.givePatchAuthoritySrc)
        ],
        ...[sized(honest.orderAuthorityAddressDst), sized(honest.allowedTakerDst)],
        ...[sized(honest.allowedCancelBeneficiarySrc), sized(honest.externalCall)]
      ])
    assert.strictEqual(id, keccak256(packedOf(honest)))
    const low = { ...honest, makerOrderNonce: 1n }
    assert.strictEqual(Dln.idOf(low), keccak256(packedOf(low)))
    assert.lengthOf(new Set([id, ...ids]), others.length + 1)
  })

  it("is made by one call, which gives the fee of the moment and says nothing else", () => {
    const { call, coinUnits, spender } = Dln.departureOf(journey)
    assert.strictEqual(spender, "0xef4fb24ad0916217251f553c0596f8edc630eb66")
    assert.deepInclude(call, { to: spender, value: "10" })
    assert.strictEqual(coinUnits, 10n)
    const { args, functionName } = decodeFunctionData({ abi, data: call.data as Hex })
    const { givePatchAuthoritySrc, giveTokenAddress, makerOrderNonce, makerSrc, ...rest } = honest
    const { giveChainId, ...same } = rest
    assert.strictEqual(functionName, "createSaltedOrder")
    const [creation, ...others] = args as unknown as readonly [Record<string, unknown>]
    const shown = Object.fromEntries(
      Object.entries(creation).map(([name, value]) => [
        name,
        typeof value === "string" ? value.toLowerCase() : value
      ])
    )
    assert.deepStrictEqual(shown, {
      ...same,
      givePatchAuthoritySrc,
      giveTokenAddress,
      giveAmount: journey.units
    })
    assert.deepStrictEqual(others as ReadonlyArray<unknown>, [makerOrderNonce, "0x", 0, "0x", "0x"])
    assert.notStrictEqual(makerSrc, stranger)
    assert.strictEqual(giveChainId, 8453n)
  })
})

describe("an order that a chain tells of", () => {
  it("is the journey's when every field is, however its addresses are written", () => {
    assert.isTrue(Dln.isOf(journey, honest))
    assert.isTrue(Dln.isOf(journey, { ...honest, takeAmount: honest.takeAmount + 1n }))
    for (const field of [
      ...(["makerSrc", "giveTokenAddress", "takeTokenAddress", "receiverDst"] as const),
      ...(["givePatchAuthoritySrc", "orderAuthorityAddressDst"] as const),
      "allowedCancelBeneficiarySrc" as const
    ]) {
      assert.isTrue(Dln.isOf(journey, { ...honest, [field]: upper(honest[field]) }), field)
    }
  })

  it.each(altered.map((over) => [JSON.stringify(over, (_, each) => String(each)), over] as const))(
    "is another one with %s, and is neither known nor taken back as the journey's",
    (_, over) => {
      const order = { ...honest, ...over }
      assert.isFalse(Dln.isOf(journey, order))
      const call = callOf(order)
      assert.isFalse(Dln.namesOrderOf(journey, call.data))
      assert.isFalse(Dln.isCancellation(journey, call))
    }
  )
})

describe("the call that takes an order back", () => {
  const other = { ...honest, makerOrderNonce: honest.makerOrderNonce + 1n }

  it("is signed for the journey's own order, up to all that was approved", () => {
    for (const over of [{}, { value: 0n }, { rewardWei: 0n }, { value: 0n, rewardWei: 0n }]) {
      const call = callOf(honest, over)
      assert.isTrue(
        Dln.isCancellation(journey, call),
        JSON.stringify(over, (_, each) => `${each}`)
      )
      assert.isTrue(Dln.namesOrderOf(journey, call.data))
    }
  })

  it("is not signed for another order, with more coin, or where none was approved", () => {
    assert.isFalse(Dln.isCancellation(journey, callOf(other)))
    assert.isFalse(Dln.namesOrderOf(journey, callOf(other).data))
    for (const over of [{ value: most + 1n }, { rewardWei: reward + 1n }]) {
      assert.isFalse(Dln.isCancellation(journey, callOf(honest, over)))
    }
    assert.isFalse(Dln.isCancellation(journey, { ...callOf(honest), value: "-1" }))
    const { coin, ...bare } = journey
    assert.isDefined(coin)
    assert.isFalse(Dln.isCancellation(bare, callOf(honest, { value: 0n, rewardWei: 0n })))
    // Each of the two is bounded by itself.
    const wide = { ...journey, coin: { leaving: 0n, cancelling: 0n, claiming: 50n } }
    assert.isTrue(Dln.isCancellation(wide, callOf(honest, { value: 50n })))
    assert.isFalse(Dln.isCancellation(wide, callOf(honest, { value: 51n })))
  })

  it("is not signed when the money would go to anybody else than it came from, or to another contract", () => {
    const astray = callOf(honest, {}, { ...journey, sender: keyOf(stranger) })
    assert.isTrue(Dln.namesOrderOf(journey, astray.data))
    assert.isFalse(Dln.isCancellation(journey, astray))
    const call = callOf(honest)
    assert.isFalse(Dln.isCancellation(journey, { ...call, to: stranger }))
    assert.isFalse(Dln.isCancellation(journey, { ...call, data: `${call.data}00` }))
  })

  it("is no other call of the contract, and no bytes that are none", () => {
    const making = Dln.departureOf(journey).call
    const transfer = encodeFunctionData({
      abi: parseAbi(["function transfer(address to, uint256 value)"]),
      args: [stranger, 1n]
    })
    for (const data of [making.data as Hex, transfer, "0x", "0x12345678"] as const) {
      assert.isFalse(Dln.namesOrderOf(journey, data))
      assert.isFalse(Dln.isCancellation(journey, { ...callOf(honest), data }))
    }
  })
})
