/**
 * CoW Protocol as a venue of swaps: an order book that is asked for prices and given signed orders, and the chain,
 * which alone says what became of them. Each chain has an order book of its own, named where it is connected.
 */
import { Clock, DateTime, Effect, Option } from "effect"
import { hexToBytes } from "viem/utils"
import type { OrderVenue } from "../../../core/ports/swap-venue.ts"
import { VenueUnavailable } from "../../../core/ports/swap-venue.ts"
import * as Node from "../node.ts"
import * as Ends from "./ends.ts"
import { find } from "./find-filled.ts"
import * as Order from "./order.ts"
import * as OrderBook from "./order-book.ts"
import { trace } from "./settlement-trace.ts"

/** From placing an order to its block, usually. */
const typicalSeconds = 30

/** A book that had an order is not asked again for so long: it takes few questions, and the chain decides. */
const knownMs = 60_000
const maxKnown = 10_000

/** Remembers which orders the book was seen to have. */
const orderMemory = () => {
  const untilById = new Map<string, number>()
  return {
    has: (orderId: string, nowMs: number) => (untilById.get(orderId) ?? 0) > nowMs,
    note: (orderId: string, nowMs: number) => {
      untilById.delete(orderId)
      untilById.set(orderId, nowMs + knownMs)
      const [oldest] = untilById.keys()
      if (untilById.size > maxKnown && oldest !== undefined) untilById.delete(oldest)
    }
  }
}

const unreadable = (detail: string) =>
  new VenueUnavailable({ protocol: "cow", reason: "malformed", detail })

const chainAway = (detail: string) =>
  new VenueUnavailable({ protocol: "cow", reason: "unreachable", detail })

/** The venue of one chain. */
const make = (connection: Node.Connection, orderBook: OrderBook.Options): OrderVenue => {
  const node = Node.make(connection)
  const known = orderMemory()
  return {
    execution: "order",
    protocol: "cow",
    chainIds: [connection.chain.id],
    typicalSeconds,
    quote: Effect.fnUntraced(function* (request) {
      yield* Effect.catchTags(Ends.open(node, request), {
        ChainUnavailable: ({ message }) => Effect.fail(chainAway(message)),
        RpcFailed: ({ message }) => Effect.fail(chainAway(message))
      })
      const offer = yield* OrderBook.quote(orderBook, request)
      const expiresAt = DateTime.make(offer.expiresAt)
      if (Option.isNone(expiresAt)) return yield* unreadable("the quote says no time")
      return {
        sellAmount: request.sellAmount,
        buyAmount: offer.buyAmount,
        fees: [
          {
            kind: "network" as const,
            amount: { token: { chainId: request.chainId, address: request.sell }, units: offer.fee }
          }
        ],
        priceImpactPct: null,
        estimatedSeconds: typicalSeconds,
        expiresAt: expiresAt.value
      }
    }),
    form: (order) =>
      Effect.sync(() => ({
        orderId: Order.uidOf(order).toLowerCase(),
        bytes: hexToBytes(Order.digestOf(order))
      })),
    place: (order) => OrderBook.post(orderBook, order),
    status: Effect.fnUntraced(function* (order) {
      const told = yield* trace(node, order)
      if (told._tag !== "unfilled") return told
      const nowMs = yield* Clock.currentTimeMillis
      if (known.has(order.orderId, nowMs)) return { _tag: "open" as const }
      if (!(yield* OrderBook.has(orderBook, order))) return { _tag: "absent" as const }
      known.note(order.orderId, nowMs)
      return { _tag: "open" as const }
    }),
    find: (sought) => find(node, sought),
    // A book that forgets an order says nothing of solvers that have it already; the contract does.
    invalidation: Order.invalidationOf
  }
}

/** The venues of those chains whose order book is named. */
export const venuesOf = (
  connections: ReadonlyArray<Node.Connection>,
  options: Omit<OrderBook.Options, "url"> = {}
): ReadonlyArray<OrderVenue> =>
  connections.flatMap((connection) => {
    const { orderBookUrl: url } = connection
    return url === undefined ? [] : [make(connection, { ...options, url })]
  })
