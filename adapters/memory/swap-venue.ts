/**
 * Port SwapVenues over scripted chains: an order book that fills an order when a script says so, at the script's
 * rate, in a block of the chain. It loses answers, forgets orders and goes away on demand; what was filled is read
 * from the blocks alone.
 */
import { createHash } from "node:crypto"
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { type AddressKey, familyOf, keyOf, type TransactionId } from "../../core/chains/address.ts"
import { hexKey } from "../../core/chains/evm.ts"
import { spenders } from "../../core/chains/evm-contracts.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import { termsOf } from "../../core/evm/call.ts"
import * as Venue from "../../core/ports/swap-venue.ts"
import { find, follow } from "./filled-orders.ts"
import * as Mempool from "./mempool.ts"
import * as Approvals from "./scripted-approvals.ts"
import * as ScriptedChain from "./scripted-chain.ts"
import {
  boughtFor,
  heldOf,
  type Named,
  pairOf,
  type Rate,
  routeOf,
  shift
} from "./scripted-swaps.ts"
import { type Book, bookOf, type Kept } from "./swap-book.ts"

export class SwapScript extends Context.Service<
  SwapScript,
  {
    /** From now on the venue swaps at this rate; giving nothing takes the pair off. */
    readonly rate: (rate: Rate) => Effect.Effect<void>
    /** The least that it sells of a token. */
    readonly minimum: (sell: AddressKey, units: bigint) => Effect.Effect<void>
    readonly away: (isAway: boolean) => Effect.Effect<void>
    /** From now on the venue asks whoever quotes to come later. */
    readonly limit: (isLimited: boolean) => Effect.Effect<void>
    /** From now on it quotes, and says of nothing how it is carried out. */
    readonly buildNothing: (buildsNothing: boolean) => Effect.Effect<void>
    /** From now on the ways that it builds say this otherwise than it was asked; nothing leaves them honest. */
    readonly twist: (twist?: Partial<Named>) => Effect.Effect<void>
    /** A token's own contract stands against it, from now on or, with nothing, no more. */
    readonly close: (closed?: {
      readonly detail: string
      readonly isPassing: boolean
    }) => Effect.Effect<void>
    /** From now on the venue answers what nobody has asked it. */
    readonly lie: (isLying: boolean) => Effect.Effect<void>
    /** The next orders are refused, or taken without the answer arriving. */
    readonly refuseNext: (orders?: number) => Effect.Effect<void>
    readonly loseReply: (orders?: number) => Effect.Effect<void>
    /** Whether whatever is placed is filled at once, where the rate allows it. */
    readonly fillsAtOnce: (isSo: boolean) => Effect.Effect<void>
    /** Fills an open order in a block of its own, at the rate of now; false when the chain would refuse it. */
    readonly fill: (orderId: string) => Effect.Effect<boolean>
    /** The venue forgets what was placed. */
    readonly forget: (orderId: string) => Effect.Effect<void>
    /** From now on nobody can read from the chain what filled orders. */
    readonly veil: (isVeiled: boolean) => Effect.Effect<void>
    /** From now on it takes so long to look for an order that was filled. */
    readonly slow: (lookMs: number) => Effect.Effect<void>
    /** Every order it was ever given, oldest first. */
    readonly placed: Effect.Effect<ReadonlyArray<Venue.SignedOrder>>
  }
>()("bursar/memory/SwapScript") {}

const protocol = "cow"
const quoteSeconds = 60

const unavailable = (detail: string) =>
  new Venue.VenueUnavailable({ protocol, reason: "unreachable", detail })

const quote = Effect.fnUntraced(function* (
  { rates }: ScriptedChain.State,
  book: Book,
  request: Venue.SwapRequest
) {
  const { buy, sell, sellAmount } = request
  if (book.isAway) return yield* unavailable("the script says the venue is away")
  if (book.isLimited) {
    const detail = "the script says it is asked too often"
    return yield* new Venue.VenueUnavailable({ protocol, reason: "limited", detail })
  }
  if (book.closed !== undefined) return yield* new Venue.TransfersClosed(book.closed)
  if (book.isLying) {
    const detail = "the quote pays another receiver"
    return yield* new Venue.VenueUnavailable({ protocol, reason: "malformed", detail })
  }
  if (!rates.has(pairOf(sell, buy))) {
    return yield* new Venue.RouteNotAvailable({ detail: "no such pair" })
  }
  const minimum = book.minimums.get(sell) ?? 1n
  const buyAmount = boughtFor(rates, request)
  if (sellAmount < minimum || buyAmount === 0n) {
    return yield* new Venue.AmountBelowMinimum({ minimum })
  }
  const now = yield* DateTime.now
  const told: Venue.VenueQuote = {
    sellAmount,
    buyAmount,
    fees: [],
    priceImpactPct: null,
    estimatedSeconds: 30,
    expiresAt: DateTime.add(now, { seconds: quoteSeconds })
  }
  return told
})

const fieldsOf = ({ sellAmount, minBuyAmount, ...order }: Venue.SwapOrder) => ({
  identity: order.identity,
  chainId: order.chainId,
  owner: order.owner,
  receiver: order.receiver,
  sell: order.sell,
  buy: order.buy,
  validTo: order.validTo,
  sellAmount: String(sellAmount),
  minBuyAmount: String(minBuyAmount)
})

const form = (order: Venue.SwapOrder): Venue.OrderForm => {
  const digest = createHash("sha256")
    .update(canonical(fieldsOf(order)))
    .digest()
  return { orderId: `0x${digest.toString("hex")}`, bytes: digest }
}

const isSigned = (order: Venue.SignedOrder) => {
  const { bytes, orderId } = form(order)
  return order.orderId === orderId && order.signature === `0x${Buffer.from(bytes).toString("hex")}`
}

const spender = hexKey(spenders["CoW Protocol GPv2VaultRelayer"]) as AddressKey

const settlement = `0x${"c0".repeat(20)}` as AddressKey

/** The owner's own call that ends an order, as the scripted chain knows it. */
const invalidationOf = ({ orderId }: Venue.SignedOrder): Venue.Invalidation => ({
  to: settlement,
  call: termsOf({ to: settlement, data: orderId, value: 0n })
})

/** The owner's transaction in a block that has invalidated the order. */
const invalidated = (chain: ScriptedChain.Scripted, order: Venue.SignedOrder) =>
  chain.landed.find(
    ({ isPaid, own, relayer }) =>
      isPaid &&
      own?.to === settlement &&
      own.data.startsWith(order.orderId) &&
      keyOf(order.chainId, relayer) === order.owner
  )

/** Why the chain would not take a settlement of the order in its next block. */
const obstacle = (
  chain: ScriptedChain.Scripted,
  kept: Kept,
  boughtAmount: bigint,
  nowMs: number
) => {
  const { order } = kept
  const seconds = DateTime.toEpochMillis(ScriptedChain.timeOf(chain, nowMs)) / 1000
  const permission = { token: order.sell, owner: order.owner, spender }
  if (kept.filled !== undefined) return "it is filled"
  if (invalidated(chain, order) !== undefined) return "it was invalidated"
  if (seconds > order.validTo) return "it is too late"
  if (boughtAmount < order.minBuyAmount) return "it would give less than its least"
  if ((Approvals.current(chain, permission) ?? 0n) < order.sellAmount) return "no allowance"
  return heldOf(chain, order.sell, order.owner) < order.sellAmount ? "no balance" : undefined
}

const pool = `0x${"b0".repeat(20)}` as AddressKey

const settle = (state: ScriptedChain.State, kept: Kept, boughtAmount: bigint, nowMs: number) => {
  const { order } = kept
  const chain = ScriptedChain.find(state, order.chainId)
  const { usdc } = chain.connected
  const pay = (from: string, to: string, amountMicro: bigint) =>
    ScriptedChain.sign(state, { chainId: order.chainId, from, to, amountMicro })
  const payments = [
    ...(order.sell === usdc ? [pay(order.owner, pool, order.sellAmount)] : []),
    ...(order.buy === usdc ? [pay(pool, order.receiver, boughtAmount)] : [])
  ]
  const permission = { token: order.sell, owner: order.owner, spender }
  const left = (Approvals.current(chain, permission) ?? 0n) - order.sellAmount
  const taken = ScriptedChain.approve(state, {
    ...permission,
    amount: left,
    chainId: order.chainId
  })
  const txId = (payments[0]?.txHash ?? taken.txHash) satisfies TransactionId
  const whole = payments.map((payment) => ({ ...payment, txHash: txId }))
  const block = ScriptedChain.mine(state, chain, nowMs, whole, [{ ...taken, txHash: txId }])
  const move = (sign: 1n | -1n) => {
    if (order.sell !== usdc) shift(chain, order.sell, order.owner, -sign * order.sellAmount)
    if (order.buy !== usdc) shift(chain, order.buy, order.receiver, sign * boughtAmount)
  }
  move(1n)
  kept.filled = {
    fill: { txId, soldAmount: order.sellAmount, boughtAmount, fees: [] },
    blockHash: block.hash,
    blockNumber: block.number,
    undo: () => move(-1n)
  }
}

/** Fills at the rate of now, unless the chain would refuse it. */
const fill = (state: ScriptedChain.State, kept: Kept, nowMs: number): boolean => {
  const chain = ScriptedChain.find(state, kept.order.chainId)
  const boughtAmount = boughtFor(state.rates, kept.order)
  if (obstacle(chain, kept, boughtAmount, nowMs) !== undefined) return false
  settle(state, kept, boughtAmount, nowMs)
  return true
}

const statusOf = (
  chain: ScriptedChain.Scripted,
  kept: Kept | undefined,
  order: Venue.SignedOrder
): Venue.OrderStatus => {
  const finalNumber = Mempool.finalizedNumber(chain)
  const final = chain.blocks[finalNumber]
  if (kept !== undefined) follow(chain, kept)
  if (kept?.filled !== undefined) {
    const { blockNumber, fill: told } = kept.filled
    return { _tag: "filled", fill: told, isFinal: blockNumber <= finalNumber }
  }
  const gone = invalidated(chain, order)
  if (final !== undefined && gone !== undefined && gone.blockNumber <= finalNumber) {
    return { _tag: "dead", block: final.hash, txId: gone.txHash }
  }
  if (final !== undefined && DateTime.toEpochMillis(final.timestamp) > order.validTo * 1000) {
    return { _tag: "dead", block: final.hash, txId: null }
  }
  return kept === undefined || kept.isForgotten ? { _tag: "absent" } : { _tag: "open" }
}

const venueOver = (state: ScriptedChain.State): Venue.OrderVenue => {
  const book = bookOf(state)
  const present = Effect.suspend(() =>
    book.isAway ? Effect.fail(unavailable("the script says the venue is away")) : Effect.void
  )
  return {
    execution: "order",
    protocol,
    chainIds: [...state.scripted.keys()].filter((id) => familyOf(id).takesApprovals),
    typicalSeconds: 30,
    quote: (request) => quote(state, book, request),
    form: (order) => Effect.sync(() => form(order)),
    place: Effect.fnUntraced(function* (order) {
      yield* present
      if (book.refusals > 0) {
        book.refusals--
        return yield* unavailable("the script says the order is refused")
      }
      if (!isSigned(order)) {
        return yield* new Venue.RouteNotAvailable({ detail: "the signature is not the owner's" })
      }
      const nowMs = yield* Clock.currentTimeMillis
      const known = book.orders.get(order.orderId)
      const kept = known ?? { order, isForgotten: false, filled: undefined }
      kept.isForgotten = false
      book.orders.set(order.orderId, kept)
      if (book.fillsAtOnce) fill(state, kept, nowMs)
      if (book.lostReplies === 0) return
      book.lostReplies--
      return yield* unavailable("the script says the answer is lost")
    }),
    status: (order) =>
      Effect.map(ScriptedChain.present(state, order.chainId), (chain) =>
        statusOf(chain, book.orders.get(order.orderId), order)
      ),
    find: (sought) => find(state, book, sought),
    invalidation: invalidationOf
  }
}

const scriptOver = (state: ScriptedChain.State): SwapScript["Service"] => {
  const book = bookOf(state)
  const kept = (orderId: string) => {
    const found = book.orders.get(orderId)
    if (found === undefined) throw new Error(`The venue has no order ${orderId}.`)
    return found
  }
  return {
    rate: (rate) =>
      Effect.sync(() => {
        const pair = pairOf(rate.sell, rate.buy)
        if (rate.gives === 0n) state.rates.delete(pair)
        else state.rates.set(pair, rate)
      }),
    minimum: (sell, units) => Effect.sync(() => void book.minimums.set(sell, units)),
    away: (isAway) => Effect.sync(() => void Object.assign(book, { isAway })),
    limit: (isLimited) => Effect.sync(() => void Object.assign(book, { isLimited })),
    buildNothing: (buildsNothing) => Effect.sync(() => void Object.assign(book, { buildsNothing })),
    twist: (twist = {}) => Effect.sync(() => void Object.assign(book, { twist })),
    close: (closed) => Effect.sync(() => void Object.assign(book, { closed })),
    lie: (isLying) => Effect.sync(() => void Object.assign(book, { isLying })),
    refuseNext: (orders = 1) =>
      Effect.sync(() => {
        book.refusals += orders
      }),
    loseReply: (orders = 1) =>
      Effect.sync(() => {
        book.lostReplies += orders
      }),
    fillsAtOnce: (fillsAtOnce) => Effect.sync(() => void Object.assign(book, { fillsAtOnce })),
    fill: (orderId) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => fill(state, kept(orderId), nowMs)),
    forget: (orderId) =>
      Effect.sync(() => void Object.assign(kept(orderId), { isForgotten: true })),
    veil: (isVeiled) => Effect.sync(() => void Object.assign(book, { isVeiled })),
    slow: (lookMs) => Effect.sync(() => void Object.assign(book, { lookMs })),
    placed: Effect.sync(() => Array.from(book.orders.values(), ({ order }) => order))
  }
}

/** The venue of chains where a wallet's own transaction swaps: it quotes at the same rates, and names the way. */
const transactionsOver = (state: ScriptedChain.State): Venue.TransactionVenue => {
  const book = bookOf(state)
  return {
    execution: "transaction",
    protocol: "jupiter",
    chainIds: [...state.scripted.keys()].filter((id) => !familyOf(id).takesApprovals),
    typicalSeconds: 15,
    quote: (request) => quote(state, book, request),
    build: Effect.fnUntraced(function* (order) {
      yield* quote(state, book, { ...order, slippageBps: 0 })
      if (book.buildsNothing) {
        return yield* new Venue.RouteNotAvailable({ detail: "it builds nothing" })
      }
      return { ...routeOf(order, book.twist) }
    })
  }
}

/** The venues and their script, over the state of chains that is kept elsewhere. */
export const layer = (state: ScriptedChain.State): Layer.Layer<Venue.SwapVenues | SwapScript> =>
  Layer.sync(Venue.SwapVenues, () => ({
    venues: [venueOver(state), transactionsOver(state)]
  })).pipe(Layer.merge(Layer.sync(SwapScript, () => scriptOver(state))))

/** There is no venue. */
export const none: Layer.Layer<Venue.SwapVenues> = Layer.succeed(Venue.SwapVenues, { venues: [] })
