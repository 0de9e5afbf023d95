/** What becomes of a limit order that nobody fills, or that somebody meddles with, on two real chains. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Hex } from "viem"
import { decodeFunctionData, encodeFunctionData, getContractAddress, parseAbi } from "viem/utils"
import { address } from "../../../../adapters/evm/contract.ts"
import { abi } from "../../../../adapters/evm/dln/contracts.ts"
import {
  cancellationOf,
  departureOf,
  idOf,
  type Order,
  orderOf
} from "../../../../adapters/evm/dln/order.ts"
import * as LimitOrders from "../../../../apps/sandbox/bridges/limit-orders.ts"
import * as Dln from "../../../../core/chains/dln.ts"
import { dlnWorld } from "../../../support/dln-world.ts"

type World = Effect.Success<typeof dlnWorld>

const test = (title: string, body: (world: World) => Effect.Effect<void, unknown>) =>
  it.live(title, () => Effect.scoped(Effect.flatMap(dlnWorld, body)), 60_000)

interface Call {
  readonly to: string
  readonly data: string
  readonly value: string
}

/** An order that nobody fills, and the call that takes it back. */
const unfilled = Effect.fnUntraced(function* (world: World) {
  const { bridge, depart, journey, provider, settle } = world
  yield* provider("holds back")
  const one = yield* journey()
  const txId = yield* depart(one)
  yield* settle
  const refund = yield* bridge.refund(one, txId)
  assert(refund._tag === "cancellable", refund._tag)
  return { one, txId, call: refund.call as unknown as Call }
})

const selector = "0xb9303701"

test("the call is the protocol's own, and the order names our wallets alone", ({ journey }) =>
  Effect.gen(function* () {
    const one = yield* journey()
    const { call } = departureOf(one)
    assert.strictEqual(String(call.data).slice(0, 10), selector)
    const order = orderOf(one)
    assert.strictEqual<string>(order.makerSrc, one.sender)
    assert.strictEqual<string>(order.givePatchAuthoritySrc, one.sender)
    assert.strictEqual<string>(order.allowedCancelBeneficiarySrc, one.sender)
    assert.strictEqual<string>(order.orderAuthorityAddressDst, one.receiver)
    assert.strictEqual<string>(order.receiverDst, one.receiver)
    assert.strictEqual(order.takeAmount, one.minBuyUnits)
  }))

test("what nobody fills is taken back by the receiving wallet, all of it and the fee beside it", (world) =>
  Effect.gen(function* () {
    const { bridge, one: source, orders, other, provider, settle } = world
    const { call, one, txId } = yield* unfilled(world)
    assert.strictEqual(yield* source.balance(one.sender), 1_000_000_000_000n - one.units)
    const stranger = yield* other.send(other.stranger, call.to, call.data, BigInt(call.value))
    assert.isFalse(stranger.isDone, "a stranger takes nothing back")
    assert.isTrue((yield* other.send(one.receiver, call.to, call.data, BigInt(call.value))).isDone)
    assert.strictEqual((yield* bridge.refund(one, txId))._tag, "returning")
    const coins = yield* source.anvil.call("eth_getBalance", one.sender, "latest")
    yield* provider("answers")
    yield* orders.round
    yield* settle
    const back = yield* bridge.refund(one, txId)
    assert(back._tag === "returned")
    assert.deepInclude(back, { units: one.units, isFinal: true })
    assert.strictEqual(yield* source.balance(one.sender), 1_000_000_000_000n)
    assert.strictEqual(yield* other.balance(one.receiver), 0n, "nothing was filled after that")
    const after = yield* source.anvil.call("eth_getBalance", one.sender, "latest")
    assert.strictEqual(BigInt(String(after)) - BigInt(String(coins)), 10n ** 15n)
  }))

test("who else tried to take it back, and was refused, is seen once, and nobody else is", (world) =>
  Effect.gen(function* () {
    const { bridge, depart, journey, other } = world
    const { strangers } = bridge
    if (strangers === undefined) return assert.fail("The bridge looks for nobody.")
    const { call, one } = yield* unfilled(world)
    const before = yield* strangers(one, null)
    assert.deepStrictEqual(before.txIds, [])
    const value = BigInt(call.value)
    const tried = yield* other.send(other.stranger, call.to, call.data, value)
    assert.isFalse(tried.isDone)
    const seen = yield* strangers(one, before.through)
    assert.lengthOf(seen.txIds, 1)
    assert.deepStrictEqual((yield* strangers(one, null)).txIds, seen.txIds)
    assert.deepStrictEqual((yield* strangers(one, seen.through)).txIds, [])
    assert.strictEqual(seen.through, before.through + 1)
    // Another order, our own wallet, and other calls of the contract are no stranger's cancel.
    const another = yield* journey()
    yield* depart(another)
    assert.deepStrictEqual((yield* strangers(another, null)).txIds, [])
    assert.isFalse((yield* other.send(one.receiver, call.to, call.data, 0n)).isDone)
    assert.isFalse((yield* other.send(other.stranger, call.to, "0x12345678", 0n)).isDone)
    assert.deepStrictEqual((yield* strangers(one, seen.through)).txIds, [])
    // So many blocks on, an older one is passed over.
    yield* other.mine(30)
    assert.deepStrictEqual((yield* strangers(one, null)).txIds, [])
    assert.deepStrictEqual((yield* strangers(one, before.through)).txIds, [])
  }))

test("an order is filled after another one was given back", (world) =>
  Effect.gen(function* () {
    const { depart, journey, orders, other, provider, received, settle } = world
    const { call, one } = yield* unfilled(world)
    yield* other.send(one.receiver, call.to, call.data, BigInt(call.value))
    yield* provider("answers")
    yield* orders.round
    yield* depart(yield* journey())
    yield* settle
    yield* orders.round
    assert.isAbove(Number(yield* received), 0)
  }))

test("what was filled is not taken back, whoever was first", (world) =>
  Effect.gen(function* () {
    const { bridge, orders, other, provider, settle } = world
    const { call, one, txId } = yield* unfilled(world)
    yield* provider("answers")
    yield* orders.round
    assert.isFalse((yield* other.send(one.receiver, call.to, call.data, BigInt(call.value))).isDone)
    assert.strictEqual((yield* bridge.refund(one, txId))._tag, "delivered")
    yield* settle
    const there = yield* bridge.status(one, txId)
    assert(there._tag === "delivered")
    assert.deepInclude(there, { units: one.minBuyUnits, isFinal: true })
  }))

const keeping = parseAbi([
  "function setFees(uint256 fee, uint16 bps)",
  "function setPaused(bool isPaused)",
  "function setLink(uint256 chainId, bytes other)",
  "function setCutOff(uint256 chainId, bool isCut)"
])

/** The destination asks for so much from now on. */
const asks = ({ other }: World, fee: bigint, bps = 0) =>
  other.send(
    other.stranger,
    Dln.destination,
    encodeFunctionData({ abi: keeping, functionName: "setFees", args: [fee, bps] })
  )

const half = 5n * 10n ** 17n

test("half a coin that a destination asks for is found in the quote, and taking an order back gives it", (world) =>
  Effect.gen(function* () {
    const { asked, bridge, one: source, orders, other, provider, settle } = world
    yield* asks(world, half, 10)
    const [best] = yield* bridge.quote(asked)
    assert.isAbove(Number(best.wayBack?.cancelUnits), Number(half))
    const { call, one, txId } = yield* unfilled(world)
    assert.isAbove(Number(BigInt(call.value)), Number(half))
    assert.isTrue(bridge.isArrival(one, call as never))
    assert.isTrue((yield* other.send(one.receiver, call.to, call.data, BigInt(call.value))).isDone)
    yield* provider("answers")
    yield* orders.round
    yield* settle
    assert.strictEqual((yield* bridge.refund(one, txId))._tag, "returned")
    assert.strictEqual(yield* source.balance(one.sender), 1_000_000_000_000n)
  }))

test("nobody brings word of a cancellation for nothing, so it is paid for out of what was approved", (world) =>
  Effect.gen(function* () {
    const { bridge, orders, other, provider, settle } = world
    const { call, one, txId } = yield* unfilled(world)
    const { args } = decodeFunctionData({ abi, data: call.data as Hex })
    const [order, , reward] = args as unknown as readonly [Order, string, bigint]
    assert.strictEqual(reward, one.coin?.claiming)
    const unpaid = cancellationOf(order, one, 10n ** 15n, 0n)
    assert.isTrue((yield* other.send(one.receiver, unpaid.to, unpaid.data, 10n ** 15n)).isDone)
    yield* provider("answers")
    yield* orders.round
    yield* settle
    assert.strictEqual((yield* bridge.refund(one, txId))._tag, "returning")
  }))

test("more coin than was approved is not given for a way back, nor signed, and it is tried again", (world) =>
  Effect.gen(function* () {
    const { bridge, depart, journey, provider, settle } = world
    yield* provider("holds back")
    const one = yield* journey()
    const txId = yield* depart(one)
    yield* settle
    const most = (one.coin?.cancelling ?? 0n) + (one.coin?.claiming ?? 0n)
    yield* asks(world, most + 1n)
    const dear = yield* bridge.refund(one, txId)
    assert(dear._tag === "closed", dear._tag)
    assert.match(dear.reason, /more of the chain's coin than was approved/u)
    const call = (value: bigint, reward: bigint) =>
      bridge.isArrival(one, cancellationOf(orderOf(one), one, value, reward))
    assert.isTrue(call(most, 0n))
    assert.isFalse(call(most + 1n, 0n))
    assert.isFalse(call(most, (one.coin?.claiming ?? 0n) + 1n))
    // Less is left for whoever brings the word, and the rest of what was approved goes that far.
    yield* asks(world, most - 1n)
    const tight = yield* bridge.refund(one, txId)
    assert(tight._tag === "cancellable", tight._tag)
    assert.strictEqual(tight.coinUnits, most)
    yield* asks(world, 10n ** 15n)
    assert.strictEqual((yield* bridge.refund(one, txId))._tag, "cancellable")
  }))

test("an order that could not be taken back is not made", (world) =>
  Effect.gen(function* () {
    const { bridge, journey, race } = world
    const one = yield* journey()
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    // Somebody fills at the destination what was never given at the source.
    const early = yield* journey()
    assert.strictEqual(yield* race({ _tag: "travelling", reason: null }, early), 1)
    const closed = yield* bridge.start(early)
    assert(closed._tag === "closed", closed._tag)
    assert.match(closed.reason, /could not be taken back/u)
    yield* asks(world, 10n ** 18n)
    const dear = yield* bridge.start(one)
    assert(dear._tag === "closed", dear._tag)
    assert.match(dear.reason, /than was approved/u)
  }))

test("no order is quoted or made while the contracts of both ends do not belong together", (world) =>
  Effect.gen(function* () {
    const { asked, bridge, journey, one: source, other } = world
    const one = yield* journey()
    assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    const numbered = (chainId: string) => BigInt(Dln.numberOf(chainId) ?? 0)
    const [from, to] = [numbered("local"), numbered("local-2")] as const
    const stranger = `0x${"ee".repeat(20)}` as const
    type Said = Parameters<typeof encodeFunctionData<typeof keeping>>[0]
    const table: ReadonlyArray<
      readonly [World["one"], string, Omit<Said, "abi">, Omit<Said, "abi">, RegExp]
    > = [
      [
        source,
        Dln.source,
        { functionName: "setLink", args: [to, stranger] },
        { functionName: "setLink", args: [to, "0x"] },
        /orders on local names another contract on local-2/u
      ],
      [
        source,
        Dln.source,
        { functionName: "setPaused", args: [true] },
        { functionName: "setPaused", args: [false] },
        /Limit orders are paused on local\./u
      ],
      [
        source,
        Dln.source,
        { functionName: "setCutOff", args: [to, true] },
        { functionName: "setCutOff", args: [to, false] },
        /No word of orders is carried between local and local-2/u
      ],
      [
        other,
        Dln.destination,
        { functionName: "setLink", args: [from, stranger] },
        { functionName: "setLink", args: [from, "0x"] },
        /orders on local-2 names another contract on local /u
      ],
      [
        other,
        Dln.destination,
        { functionName: "setPaused", args: [true] },
        { functionName: "setPaused", args: [false] },
        /Limit orders are paused on local-2\./u
      ],
      [
        other,
        Dln.destination,
        { functionName: "setCutOff", args: [from, true] },
        { functionName: "setCutOff", args: [from, false] },
        /No word of orders is carried between local-2 and local /u
      ]
    ]
    for (const [chain, to, closes, opens, said] of table) {
      const does = (call: Omit<Said, "abi">) =>
        chain.send(chain.stranger, to, encodeFunctionData({ abi: keeping, ...call } as Said))
      assert.isTrue((yield* does(closes)).isDone, String(said))
      const closed = yield* bridge.start(one)
      assert(closed._tag === "closed", `${said} ${closed._tag}`)
      assert.match(closed.reason, said)
      const unquoted = yield* Effect.flip(bridge.quote(asked))
      assert(unquoted._tag === "BridgeUnavailable", unquoted._tag)
      assert.match(unquoted.detail, said)
      assert.isTrue((yield* does(opens)).isDone)
      assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
    }
  }))

test("two orders that somebody fills in one transaction are told apart by what each asked for", (world) =>
  Effect.gen(function* () {
    const { bridge, depart, journey, other, provider, received, settle } = world
    yield* provider("holds back")
    const one = yield* journey()
    const another = yield* journey({ units: one.units / 2n, minBuyUnits: one.minBuyUnits / 2n })
    const txIds = [yield* depart(one), yield* depart(another)]
    const nonce = Number(
      yield* other.anvil.call("eth_getTransactionCount", other.stranger, "latest")
    )
    const filler = getContractAddress({ from: address(other.stranger), nonce: BigInt(nonce) })
    yield* other.mint(filler, 2n * one.units)
    const approving = encodeFunctionData({
      abi: parseAbi(["function approve(address spender, uint256 value) returns (bool)"]),
      functionName: "approve",
      args: [Dln.destination, 2n * one.units]
    })
    const fillings = [one, another].map((each) => {
      const order = orderOf(each)
      return {
        to: Dln.destination,
        data: LimitOrders.fillingOf({ order, orderId: idOf(order) }, other.stranger)
      }
    })
    const calls = [{ to: other.usdc, data: approving }, ...fillings]
    assert.isTrue(yield* other.sendTogether(other.stranger, calls))
    yield* settle
    const [here, there] = [
      yield* bridge.status(one, txIds[0] as never),
      yield* bridge.status(another, txIds[1] as never)
    ]
    assert(here._tag === "delivered" && there._tag === "delivered", `${here._tag} ${there._tag}`)
    assert.deepStrictEqual([here.units, there.units], [one.minBuyUnits, another.minBuyUnits])
    assert.strictEqual(here.units + there.units, yield* received)
  }))
