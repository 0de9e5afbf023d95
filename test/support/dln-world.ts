/** Limit orders between two chains of a test's own, as the contract of bridges asks for them. */
import { Effect } from "effect"
import { keyOf, transactionOf } from "../../adapters/evm/contract.ts"
import * as DlnBridge from "../../adapters/evm/dln/bridge.ts"
import * as Estimates from "../../adapters/evm/dln/estimates.ts"
import { idOf, orderOf } from "../../adapters/evm/dln/order.ts"
import * as LimitOrders from "../../apps/sandbox/bridges/limit-orders.ts"
import * as Dln from "../../core/chains/dln.ts"
import type { Asked, Journey } from "../../core/ports/bridge.ts"
import type { OrderHarness } from "../contracts/order-failures.contract.ts"
import { rivals, twoAnvils } from "./two-anvils.ts"

const sender = keyOf(`0x${"a1".repeat(20)}`)
const receiver = keyOf(`0x${"b2".repeat(20)}`)

/** How a provider is in the words of the contract: whoever fills orders is behind and slow alike. */
const faults = {
  answers: {},
  "is away": { status: 503, isIdle: true },
  "is behind": { isIdle: true },
  "holds back": { isIdle: true }
} as const

interface Call {
  readonly to: string
  readonly data: string
  readonly value: string
}

export const dlnWorld = Effect.gen(function* () {
  const chains = yield* Effect.orDie(twoAnvils)
  const { limitOrdersUrl, one, orders, other } = chains
  const service = yield* Estimates.make({ url: limitOrdersUrl })
  const bridge = DlnBridge.make([one.connection, other.connection], service)
  yield* one.mint(sender, 1_000_000_000_000n)
  yield* other.mint(other.issuer, 1_000_000_000_000n)
  const asked: Asked = {
    from: { chainId: one.chainId, token: keyOf(one.usdc) },
    to: { chainId: other.chainId, token: keyOf(other.usdc) },
    units: 1_000_000_000n
  }
  let journeys = 0
  const journey = Effect.fnUntraced(function* (over: Partial<Journey> = {}) {
    const [best] = yield* Effect.orDie(bridge.quote(asked))
    journeys += 1
    const identity = journeys.toString(16).padStart(16, "0").padEnd(64, "0")
    const { fees, minBuyUnits, terms, wayBack } = best
    const coin = {
      leaving: fees.reduce((sum, { token, units }) => (token === null ? sum + units : sum), 0n),
      cancelling: 2n * (wayBack?.cancelUnits ?? 0n),
      claiming: 2n * (wayBack?.claimUnits ?? 0n)
    }
    return { ...asked, identity, sender, receiver, minBuyUnits, coin, terms, ...over }
  })
  const received = other.balance(receiver)
  const harness: OrderHarness = {
    bridge,
    asked,
    journey,
    depart: Effect.fnUntraced(function* (leaving) {
      const { call, spender } = bridge.departure(leaving)
      yield* one.allow(leaving.sender, spender, leaving.units)
      const { data, to, value } = call as unknown as Call
      const { isDone, txHash } = yield* one.send(leaving.sender, to, data, BigInt(value))
      if (!isDone) return yield* Effect.die(new Error("The order was not made."))
      return transactionOf(txHash)
    }),
    settle: Effect.asVoid(Effect.all([one.mine(4), other.mine(4)])),
    isAskedOnTheWay: false,
    isFoundByIdentity: true,
    bring: Effect.fnUntraced(function* () {
      const before = yield* received
      yield* orders.round
      return (yield* received) > before
    }),
    race: Effect.fnUntraced(function* (_standing, filling) {
      const order = orderOf(filling)
      const data = LimitOrders.fillingOf({ order, orderId: idOf(order) }, other.stranger)
      for (const rival of rivals) {
        yield* other.mint(rival, filling.minBuyUnits)
        yield* other.allow(keyOf(rival), Dln.destination, filling.minBuyUnits)
      }
      return yield* other.race(rivals, Dln.destination, data)
    }),
    received,
    provider: (how) =>
      Effect.sync(() => {
        Object.assign(orders.faults, { status: undefined, isIdle: false }, faults[how])
      }),
    takeBack: (by, journey, call) => {
      const { data, to, value } = call as unknown as Call
      const from = by === "receiver" ? journey.receiver : other.stranger
      return Effect.map(other.send(from, to, data, BigInt(value)), ({ isDone }) => isDone)
    },
    giveBack: Effect.asVoid(orders.round),
    sent: one.balance(sender)
  }
  return { ...chains, ...harness, orders, sender, receiver }
})
