/**
 * What every venue of orders must do: an order has its name before anybody sees it, is filled once or dies by its
 * time, and what came of it is told by the chain, whatever the venue says or loses.
 */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import type {
  Invalidation,
  SignedOrder,
  SwapOrder,
  SwapRequest
} from "../../core/ports/swap-venue.ts"
import { type OrderVenue, SwapVenues } from "../../core/ports/swap-venue.ts"

/** The venue and its chain, from the side of those who run them. */
export class VenueGround extends Context.Service<
  VenueGround,
  {
    /** A wallet of its own that holds what it sells and has allowed the venue to take it. */
    readonly request: Effect.Effect<SwapRequest>
    readonly sign: (order: SwapOrder, bytes: Uint8Array) => Effect.Effect<string>
    readonly away: (isAway: boolean) => Effect.Effect<void>
    /** The next order reaches the venue, and its answer reaches nobody. */
    readonly loseReply: Effect.Effect<void>
    readonly forget: (order: SignedOrder) => Effect.Effect<void>
    /** Somebody tries to fill it; false when the chain refuses. */
    readonly fill: (order: SignedOrder) => Effect.Effect<boolean>
    /** The owner makes the venue's own call that ends the order, in a block. */
    readonly invalidate: (order: SignedOrder, invalidation: Invalidation) => Effect.Effect<void>
    /** From now on the pair gives half as much. */
    readonly halvePrice: (request: SwapRequest) => Effect.Effect<void>
    /** Everything that stands in blocks becomes final. */
    readonly finalize: Effect.Effect<void>
    /** The newest block is dropped for another one. */
    readonly reorg: Effect.Effect<void>
    /** From now on the chain's nodes are away, or nobody can read what filled orders. */
    readonly chainIs: (mood: "well" | "away" | "unreadable") => Effect.Effect<void>
    readonly newest: Effect.Effect<{ readonly number: number; readonly hash: string }>
    /** Seconds of the chain's newest block. */
    readonly chainSeconds: Effect.Effect<number>
    /** The chain's time passes this second, and a block has it. */
    readonly passes: (seconds: number) => Effect.Effect<void>
  }
>()("bursar/test/VenueGround") {}

const venueFor = Effect.fnUntraced(function* (chainId: string) {
  const { venues } = yield* SwapVenues
  const found = venues.find(({ chainIds }) => chainIds.includes(chainId))
  if (found?.execution !== "order") return assert.fail(`no venue of orders on ${chainId}`)
  return found
})

/** Minutes that an order of this suite lives. */
const minutes = 20

const ordered = Effect.fnUntraced(function* (request: SwapRequest, minBuyAmount: bigint) {
  const { chainId, owner, receiver, sell, sellAmount, buy } = request
  const { chainSeconds } = yield* VenueGround
  const validTo = (yield* chainSeconds) + minutes * 60
  const identity = randomBytes(32).toString("hex")
  return { identity, chainId, owner, receiver, sell, sellAmount, buy, minBuyAmount, validTo }
})

export const signed = Effect.fnUntraced(function* (venue: OrderVenue, order: SwapOrder) {
  const { bytes, orderId } = yield* venue.form(order)
  const { sign } = yield* VenueGround
  return { ...order, orderId, signature: yield* sign(order, bytes) }
})

/** A request with its venue, its quote, and an order at that quote less half a percent, not placed yet. */
export const begun = Effect.gen(function* () {
  const request = yield* (yield* VenueGround).request
  const venue = yield* venueFor(request.chainId)
  const quote = yield* venue.quote(request)
  const minBuyAmount = (quote.buyAmount * 995n) / 1000n
  const order = yield* signed(venue, yield* ordered(request, minBuyAmount))
  return { request, venue, quote, order }
})

const tagOf = (order: SignedOrder, venue: OrderVenue) =>
  Effect.map(venue.status(order), ({ _tag }) => _tag)

export const suite = (name: string, ground: Layer.Layer<SwapVenues | VenueGround>) =>
  layer(ground, { timeout: "60 seconds" })(`${name}: venues of orders`, (it) => {
    it.effect("an order has one name, and another as soon as anything in it differs", () =>
      Effect.gen(function* () {
        const { order: whole, request, venue } = yield* begun
        const { orderId, signature: _, ...order } = whole
        assert.strictEqual((yield* venue.form(order)).orderId, orderId)
        const others: ReadonlyArray<SwapOrder> = [
          { ...order, identity: "ab".repeat(32) },
          { ...order, receiver: request.buy },
          { ...order, owner: request.buy },
          { ...order, sell: order.buy },
          { ...order, buy: order.sell },
          { ...order, sellAmount: order.sellAmount + 1n },
          { ...order, minBuyAmount: order.minBuyAmount - 1n },
          { ...order, validTo: order.validTo + 1 }
        ]
        const forms = yield* Effect.forEach(others, venue.form)
        const names = new Set([orderId, ...forms.map((form) => form.orderId)])
        assert.strictEqual(names.size, others.length + 1)
      })
    )

    it.effect(
      "a placed order is open, then filled for at least its least, and final at finality",
      () =>
        Effect.gen(function* () {
          const { fill, finalize } = yield* VenueGround
          const { order, venue } = yield* begun
          yield* venue.place(order)
          assert.strictEqual(yield* tagOf(order, venue), "open")
          assert.isTrue(yield* fill(order))
          const seen = yield* venue.status(order)
          if (seen._tag !== "filled") return assert.fail(seen._tag)
          assert.isFalse(seen.isFinal)
          yield* finalize
          const final = yield* venue.status(order)
          if (final._tag !== "filled") return assert.fail(final._tag)
          assert.isTrue(final.isFinal)
          assert.strictEqual(final.fill.txId, seen.fill.txId)
          assert.strictEqual(final.fill.soldAmount, order.sellAmount)
          assert.isTrue(final.fill.boughtAmount >= order.minBuyAmount)
        })
    )

    it.effect("an order placed twice is one order, and is filled once", () =>
      Effect.gen(function* () {
        const { fill } = yield* VenueGround
        const { order, venue } = yield* begun
        yield* venue.place(order)
        yield* venue.place(order)
        assert.isTrue(yield* fill(order))
        assert.isFalse(yield* fill(order))
        yield* venue.place(order)
        assert.strictEqual(yield* tagOf(order, venue), "filled")
      })
    )

    it.effect("an order whose answer is lost is there, and may be placed again", () =>
      Effect.gen(function* () {
        const { fill, loseReply } = yield* VenueGround
        const { order, venue } = yield* begun
        yield* loseReply
        assert.strictEqual((yield* Effect.flip(venue.place(order)))._tag, "VenueUnavailable")
        assert.strictEqual(yield* tagOf(order, venue), "open")
        yield* venue.place(order)
        assert.isTrue(yield* fill(order))
      })
    )

    it.effect(
      "an order that the venue never had or has forgotten is absent, and can be placed",
      () =>
        Effect.gen(function* () {
          const { forget } = yield* VenueGround
          const { order, venue } = yield* begun
          assert.strictEqual(yield* tagOf(order, venue), "absent")
          yield* venue.place(order)
          yield* forget(order)
          assert.strictEqual(yield* tagOf(order, venue), "absent")
          yield* venue.place(order)
          assert.strictEqual(yield* tagOf(order, venue), "open")
        })
    )

    it.effect(
      "an order is not filled below its least, and dies once a final block is past its time",
      () =>
        Effect.gen(function* () {
          const { chainSeconds, fill, finalize, halvePrice, passes } = yield* VenueGround
          const { order, request, venue } = yield* begun
          yield* venue.place(order)
          yield* halvePrice(request)
          assert.isFalse(yield* fill(order))
          assert.strictEqual(yield* tagOf(order, venue), "open")
          yield* passes(order.validTo - (yield* chainSeconds) + 1)
          assert.notStrictEqual(yield* tagOf(order, venue), "dead")
          yield* finalize
          assert.strictEqual(yield* tagOf(order, venue), "dead")
        })
    )

    it.effect("no order is filled after its time", () =>
      Effect.gen(function* () {
        const { chainSeconds, fill, passes } = yield* VenueGround
        const { order, venue } = yield* begun
        yield* venue.place(order)
        yield* passes(order.validTo - (yield* chainSeconds) + 1)
        assert.isFalse(yield* fill(order))
      })
    )

    it.effect("a signature that is not the owner's places nothing", () =>
      Effect.gen(function* () {
        const { sign } = yield* VenueGround
        const { order, venue } = yield* begun
        const { bytes } = yield* venue.form({ ...order, sellAmount: order.sellAmount + 1n })
        const forged = { ...order, signature: yield* sign(order, bytes) }
        assert.strictEqual((yield* Effect.flip(venue.place(forged)))._tag, "RouteNotAvailable")
        assert.strictEqual(yield* tagOf(order, venue), "absent")
      })
    )

    it.effect("a fill that a reorganisation drops is none, and may come again", () =>
      Effect.gen(function* () {
        const { fill, reorg } = yield* VenueGround
        const { order, venue } = yield* begun
        yield* venue.place(order)
        assert.isTrue(yield* fill(order))
        yield* reorg
        assert.strictEqual(yield* tagOf(order, venue), "open")
        assert.isTrue(yield* fill(order))
        assert.strictEqual(yield* tagOf(order, venue), "filled")
      })
    )

    it.effect(
      "an order that its owner ends by a call is not filled, and dead once that is final",
      () =>
        Effect.gen(function* () {
          const { fill, finalize, invalidate } = yield* VenueGround
          const { order, venue } = yield* begun
          yield* venue.place(order)
          yield* invalidate(order, venue.invalidation(order))
          assert.isFalse(yield* fill(order))
          assert.notStrictEqual(yield* tagOf(order, venue), "dead")
          yield* finalize
          const status = yield* venue.status(order)
          if (status._tag !== "dead") return assert.fail(status._tag)
          assert.isNotNull(status.txId)
        })
    )

    it.effect("an end by its owner's call that a reorganisation drops is none", () =>
      Effect.gen(function* () {
        const { fill, finalize, invalidate, reorg } = yield* VenueGround
        const { order, venue } = yield* begun
        yield* venue.place(order)
        yield* finalize
        yield* invalidate(order, venue.invalidation(order))
        yield* reorg
        assert.isTrue(yield* fill(order))
        yield* finalize
        assert.strictEqual(yield* tagOf(order, venue), "filled")
      })
    )

    it.effect("whoever comes first decides: a filled order that its owner ends stays filled", () =>
      Effect.gen(function* () {
        const { fill, finalize, invalidate } = yield* VenueGround
        const { order, venue } = yield* begun
        yield* venue.place(order)
        assert.isTrue(yield* fill(order))
        yield* invalidate(order, venue.invalidation(order))
        yield* finalize
        assert.strictEqual(yield* tagOf(order, venue), "filled")
      })
    )

    it.effect("the call that ends one order ends no other of the same owner", () =>
      Effect.gen(function* () {
        const { fill, invalidate } = yield* VenueGround
        const { order, venue } = yield* begun
        const { orderId: _id, signature: _signature, ...same } = order
        const other = yield* signed(venue, { ...same, validTo: order.validTo + 1 })
        yield* venue.place(other)
        yield* invalidate(order, venue.invalidation(order))
        assert.isTrue(yield* fill(other))
      })
    )
  })
