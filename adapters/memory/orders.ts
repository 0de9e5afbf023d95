/**
 * Port Bridges by limit orders over scripted chains: an order is given on one chain and filled on another by whoever the
 * script says, or taken back there by its receiver and given back where it came from. Blocks alone say what became of it.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import {
  type Bridge,
  BridgeContradicted,
  Bridges,
  BridgeUnavailable,
  Journey,
  NoRoute,
  OutOfBounds,
  type Refund,
  type Route,
  type Standing
} from "../../core/ports/bridge.ts"
import * as Mempool from "./mempool.ts"
import { contract } from "./scripted-bridge.ts"
import * as ScriptedChain from "./scripted-chain.ts"

export class OrderScript extends Context.Service<
  OrderScript,
  {
    /** Whether the service that quotes answers. What is on its way does not ask it. */
    readonly away: (isAway: boolean) => Effect.Effect<void>
    /** The wallet gives its order in a block; undefined when the chain refuses it. */
    readonly give: (journey: Journey) => Effect.Effect<TransactionId | undefined>
    /** Whoever finds it worth it fills what is open; how many orders the chain let be filled. */
    readonly fillAll: Effect.Effect<number>
    /** Somebody makes a call that takes an order back, at the destination; whether the chain let them. */
    readonly takeBack: (by: AddressKey, call: Schema.JsonObject) => Effect.Effect<boolean>
    /** What was taken back is given back at its source; how many orders were. */
    readonly giveBackAll: Effect.Effect<number>
  }
>()("bursar/memory/OrderScript") {}

const coinUnits = 1_000_000_000_000_000n
const minUnits = 1_000_000n
const maxUnits = 10_000_000_000_000n
/** One part in so many is taken for the order. */
const feeOneIn = 1_000n

const encode = Schema.encodeSync(Schema.toCodecJson(Journey))

/** An order is known by all of its fields: of anything else it is another order. */
const nameOf = (journey: Journey): string => canonical(encode(journey))

interface Order {
  readonly journey: Journey
  readonly given: TransactionId
  filled?: TransactionId
  takenBack?: TransactionId
  givenBack?: TransactionId
}

interface Book {
  readonly orders: Map<string, Order>
  isAway: boolean
}

const blockOf = (chain: ScriptedChain.Scripted, txId: TransactionId | undefined) =>
  chain.blocks.find(({ payments }) => payments.some(({ txHash }) => txHash === txId))

/** Where a transaction stands, if a block has it. */
const standingAt = (state: ScriptedChain.State, chainId: string, txId?: TransactionId) => {
  const chain = ScriptedChain.find(state, chainId)
  const block = txId === undefined ? undefined : blockOf(chain, txId)
  return txId === undefined || block === undefined
    ? undefined
    : { txId, isFinal: block.number <= Mempool.finalizedNumber(chain) }
}

const placesOf = (state: ScriptedChain.State, order: Order) => {
  const { from, to } = order.journey
  return {
    given: standingAt(state, from.chainId, order.given),
    filled: standingAt(state, to.chainId, order.filled),
    takenBack: standingAt(state, to.chainId, order.takenBack),
    givenBack: standingAt(state, from.chainId, order.givenBack)
  }
}

const callOf = (act: "give" | "take_back", journey: Journey): Schema.JsonObject => ({
  to: contract,
  data: Buffer.from(canonical({ act, journey: encode(journey) }), "utf8").toString("hex"),
  value: act === "give" ? String(coinUnits) : "0"
})

const routesOf = (state: ScriptedChain.State): ReadonlyArray<Route> => {
  const ends = [...state.scripted.values()].map(({ connected }) => ({
    chainId: connected.chain.id,
    token: connected.usdc
  }))
  const rest = { fees: "0.1 %", minUnits, maxUnits, typicalSeconds: 30, notes: "A scripted order." }
  return ends.flatMap((from) =>
    ends.filter((to) => to !== from).map((to) => ({ from, to, ...rest }))
  )
}

/** Another order under the same identity in that transaction is told as such. */
const standingOf = Effect.fnUntraced(function* (
  { orders }: Book,
  { identity, minBuyUnits }: Journey,
  departed: TransactionId,
  places: ReturnType<typeof placesOf> | undefined
): Effect.fn.Return<Standing, BridgeContradicted> {
  if (places === undefined) {
    const isAnother = [...orders.values()].some(
      ({ given, journey }) => given === departed && journey.identity === identity
    )
    if (!isAnother) return { _tag: "absent" }
    return yield* new BridgeContradicted({ detail: "The order that stands is another one." })
  }
  if (places.filled !== undefined) {
    return { _tag: "delivered", ...places.filled, units: minBuyUnits }
  }
  return places.takenBack === undefined
    ? { _tag: "travelling", reason: null }
    : { _tag: "cancelled", ...places.takenBack }
})

const bridgeOver = (state: ScriptedChain.State, book: Book): Bridge => {
  const routes = routesOf(state)
  const find = (journey: Journey, departed: TransactionId) => {
    const order = book.orders.get(nameOf(journey))
    if (order?.given !== departed) return undefined
    const places = placesOf(state, order)
    return places.given === undefined ? undefined : places
  }
  const both = ({ from, to }: Journey) =>
    Effect.andThen(
      ScriptedChain.present(state, from.chainId),
      ScriptedChain.present(state, to.chainId)
    )
  return {
    protocol: "dln",
    slips: true,
    routes,
    quote: Effect.fnUntraced(function* ({ from, to, units }) {
      const isThere = routes.some(
        (each) =>
          canonical({ ...each.from }) === canonical({ ...from }) &&
          canonical({ ...each.to }) === canonical({ ...to })
      )
      if (!isThere) return yield* new NoRoute()
      if (units < minUnits || units > maxUnits) {
        return yield* new OutOfBounds({ minUnits, maxUnits })
      }
      if (book.isAway) return yield* new BridgeUnavailable({ detail: "the script says it is away" })
      const fee = units / feeOneIn
      const offer = {
        buyUnits: units - fee,
        minBuyUnits: units - fee,
        fees: [
          { kind: "bridge", token: from, units: fee },
          { kind: "protocol", token: null, units: coinUnits }
        ],
        ...{ estimatedSeconds: 30, expiresInMs: 30_000, terms: {} },
        wayBack: { cancelUnits: 0n, claimUnits: 0n }
      } as const
      return [offer] as const
    }),
    departure: (journey) => ({ spender: contract, call: callOf("give", journey), coinUnits }),
    isArrival: (journey, call) => canonical(call) === canonical(callOf("take_back", journey)),
    start: Effect.fnUntraced(function* (journey) {
      yield* both(journey)
      const under = [...book.orders.values()].find(
        (order) =>
          order.journey.identity === journey.identity &&
          order.journey.sender === journey.sender &&
          placesOf(state, order).given !== undefined
      )
      const given = under && placesOf(state, under).given
      if (under === undefined || given === undefined) return { _tag: "open" } as const
      const isSame = nameOf(under.journey) === nameOf(journey)
      return { _tag: isSame ? "left" : "taken", ...given } as const
    }),
    status: (journey, departed) =>
      Effect.andThen(both(journey), () =>
        standingOf(book, journey, departed, find(journey, departed))
      ),
    refund: (journey, departed) =>
      Effect.map(both(journey), (): Refund => {
        const places = find(journey, departed)
        if (places?.filled !== undefined) return { _tag: "delivered" }
        if (places?.givenBack !== undefined) {
          return { _tag: "returned", ...places.givenBack, units: journey.units }
        }
        return places?.takenBack === undefined
          ? { _tag: "cancellable", call: callOf("take_back", journey), coinUnits: 0n }
          : { _tag: "returning" }
      })
  }
}

const scriptOver = (state: ScriptedChain.State, book: Book): OrderScript["Service"] => {
  const moved = (chainId: string, from: AddressKey, to: AddressKey, amountMicro: bigint) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const payment = ScriptedChain.sign(state, { chainId, from, to, amountMicro })
      ScriptedChain.mine(state, ScriptedChain.find(state, chainId), nowMs, [payment])
      return payment.txHash
    })
  /** Does with every order that stands and is as was asked for what the work says; how many. */
  const each = (
    isMeant: (places: ReturnType<typeof placesOf>) => boolean,
    work: (order: Order) => Effect.Effect<unknown>
  ) =>
    Effect.suspend(() => {
      const meant = [...book.orders.values()].filter((order) => {
        const places = placesOf(state, order)
        return places.given !== undefined && isMeant(places)
      })
      return Effect.as(Effect.forEach(meant, work, { discard: true }), meant.length)
    })
  return {
    away: (isAway) => Effect.sync(() => void Object.assign(book, { isAway })),
    give: Effect.fnUntraced(function* (journey) {
      const { from, sender, units } = journey
      const chain = ScriptedChain.find(state, from.chainId)
      const before = book.orders.get(nameOf(journey))
      const stands = before !== undefined && placesOf(state, before).given !== undefined
      if (stands || ScriptedChain.balance(chain, sender) < units) return undefined
      const given = yield* moved(from.chainId, sender, contract, units)
      book.orders.set(nameOf(journey), { journey, given })
      return given
    }),
    fillAll: each(
      ({ filled, takenBack }) => filled === undefined && takenBack === undefined,
      Effect.fnUntraced(function* (order) {
        const { minBuyUnits, receiver, to } = order.journey
        order.filled = yield* moved(to.chainId, contract, receiver, minBuyUnits)
      })
    ),
    takeBack: Effect.fnUntraced(function* (by, call) {
      const order = [...book.orders.values()].find(
        ({ journey }) => canonical(callOf("take_back", journey)) === canonical(call)
      )
      if (order === undefined || order.journey.receiver !== by) return false
      const { filled, takenBack } = placesOf(state, order)
      if (filled !== undefined || takenBack !== undefined) return false
      order.takenBack = yield* moved(order.journey.to.chainId, by, contract, 0n)
      return true
    }),
    giveBackAll: each(
      ({ givenBack, takenBack }) => takenBack !== undefined && givenBack === undefined,
      Effect.fnUntraced(function* (order) {
        const { from, sender, units } = order.journey
        order.givenBack = yield* moved(from.chainId, contract, sender, units)
      })
    )
  }
}

/** The bridge and its script, over the state of chains that is kept elsewhere. */
export const layer = (state: ScriptedChain.State): Layer.Layer<OrderScript> => {
  const book: Book = { orders: new Map(), isAway: false }
  return Layer.merge(
    Layer.sync(Bridges, () => [bridgeOver(state, book)]),
    Layer.sync(OrderScript, () => scriptOver(state, book))
  )
}
