/**
 * What every venue of orders must tell of an order that the records have lost: it is found by its identity and by the
 * chain alone, and what nobody can tell is never taken for nothing.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type {
  Found,
  NamedOrder,
  SeenFills,
  Sought,
  SwapOrder,
  SwapVenues
} from "../../core/ports/swap-venue.ts"
import { begun, signed, VenueGround } from "./swap-venues.contract.ts"

const soughtBy = (
  { chainId, identity, owner, sell }: SwapOrder,
  recorded: ReadonlyArray<NamedOrder> = []
): Sought => ({
  ...{ chainId, identity, owner, sell, through: undefined },
  recorded: (orderIds) =>
    Effect.succeed(recorded.filter(({ orderId }) => orderIds.includes(orderId)))
})

/** An order that is in a block. */
const made = Effect.gen(function* () {
  const { order, venue } = yield* begun
  yield* venue.place(order)
  assert.isTrue(yield* (yield* VenueGround).fill(order))
  return { order, venue }
})

/** While nobody can read what filled orders. */
const unreadably = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { chainIs } = yield* VenueGround
  yield* chainIs("unreadable")
  return yield* Effect.ensuring(effect, chainIs("well"))
})

const none = { _tag: "none" } as const
const another = "cd".repeat(32)

export const suite = (name: string, ground: Layer.Layer<SwapVenues | VenueGround>) =>
  layer(ground, { timeout: "60 seconds" })(`${name}: orders that records have lost`, (it) => {
    it.effect("one that was placed and not filled is not found, nor once it is dead", () =>
      Effect.gen(function* () {
        const { chainSeconds, finalize, passes } = yield* VenueGround
        const { order, venue } = yield* begun
        const sought = soughtBy(order)
        assert.deepStrictEqual(yield* venue.find(sought), none)
        yield* venue.place(order)
        assert.deepStrictEqual(yield* venue.find(sought), none)
        yield* passes(order.validTo - (yield* chainSeconds) + 1)
        yield* finalize
        assert.deepStrictEqual(yield* venue.find(sought), none)
      })
    )

    it.effect("one that was filled is found by its identity, with all that it was and gave", () =>
      Effect.gen(function* () {
        const { finalize } = yield* VenueGround
        const { order, venue } = yield* made
        const sought = soughtBy(order)
        const status = yield* venue.status(order)
        if (status._tag !== "filled") return assert.fail(status._tag)
        const { signature: _, ...named } = order
        const seen = yield* venue.find(sought)
        if (seen._tag !== "filled") return assert.fail(seen._tag)
        assert.deepInclude(seen.order, named)
        assert.deepStrictEqual(seen.fill, status.fill)
        assert.isFalse(seen.isFinal)
        yield* finalize
        const final = yield* venue.find(sought)
        assert.deepInclude(final, { fill: status.fill, isFinal: true })
        assert.deepStrictEqual(yield* venue.find({ ...sought, identity: another }), none)
        assert.deepStrictEqual(yield* venue.find({ ...sought, owner: order.buy }), none)
      })
    )

    it.effect("of several of one wallet the one of the identity is found", () =>
      Effect.gen(function* () {
        const { fill } = yield* VenueGround
        const { order: whole, venue } = yield* begun
        const { orderId: _id, signature: _signature, ...order } = whole
        const halves = [
          yield* signed(venue, { ...order, sellAmount: order.sellAmount / 2n, minBuyAmount: 1n }),
          yield* signed(venue, {
            ...{ ...order, sellAmount: order.sellAmount / 2n, minBuyAmount: 1n },
            identity: another
          })
        ]
        for (const half of halves) {
          yield* venue.place(half)
          assert.isTrue(yield* fill(half))
        }
        for (const half of halves) {
          const found = yield* venue.find(soughtBy(half))
          if (found._tag !== "filled") return assert.fail(found._tag)
          assert.strictEqual(found.order.orderId, half.orderId)
        }
      })
    )

    it.effect("a fill that a reorganisation drops is not found", () =>
      Effect.gen(function* () {
        const { reorg } = yield* VenueGround
        const { order, venue } = yield* made
        yield* reorg
        assert.deepStrictEqual(yield* venue.find(soughtBy(order)), none)
      })
    )

    it.effect("a sale of the token that nobody can read, and no record explains, is told", () =>
      Effect.gen(function* () {
        const { order, venue } = yield* made
        const status = yield* venue.status(order)
        if (status._tag !== "filled") return assert.fail(status._tag)
        const undecidable: Found = { _tag: "undecidable", txId: status.fill.txId }
        for (const identity of [order.identity, another]) {
          const sought = { ...soughtBy(order), identity }
          assert.deepStrictEqual(yield* unreadably(venue.find(sought)), undecidable)
        }
        // What was sold for it is no sale of it.
        const bought = { ...soughtBy(order), sell: order.buy }
        assert.deepStrictEqual(yield* unreadably(venue.find(bought)), none)
      })
    )

    it.effect("what the records have signed is known by them, whatever the chain lets read", () =>
      Effect.gen(function* () {
        const { order, venue } = yield* made
        const found = yield* unreadably(venue.find(soughtBy(order, [order])))
        assert.deepInclude(found, { _tag: "filled" })
        const sought = { ...soughtBy(order, [order]), identity: another }
        assert.deepStrictEqual(yield* unreadably(venue.find(sought)), none)
      })
    )

    it.effect("what was read before is told again, unless those who read it knew it", () =>
      Effect.gen(function* () {
        const { finalize } = yield* VenueGround
        const { order, venue } = yield* made
        yield* finalize
        const readBy = Effect.fnUntraced(function* (recorded: ReadonlyArray<NamedOrder>) {
          let seen: SeenFills | undefined
          const keep = (read: SeenFills) =>
            Effect.sync(() => {
              seen = read
            })
          const other = { ...soughtBy(order, recorded), identity: another, keep }
          assert.deepStrictEqual(yield* venue.find(other), none)
          return seen ?? assert.fail("nothing was kept")
        })
        const unknown = yield* readBy([])
        assert.lengthOf(unknown.unrecorded, 1)
        const again = { ...soughtBy(order), seen: unknown }
        assert.deepInclude(yield* venue.find(again), { _tag: "filled", isFinal: true })
        const known = yield* readBy([order])
        assert.isEmpty(known.unrecorded)
        assert.deepStrictEqual(yield* venue.find({ ...soughtBy(order), seen: known }), none)
        // Where another block stands in the place of the last one, nothing was read.
        const elsewhere = { ...known, through: { ...known.through, hash: `0x${"ee".repeat(32)}` } }
        const found = yield* venue.find({ ...soughtBy(order), seen: elsewhere })
        assert.deepInclude(found, { _tag: "filled" })
      })
    )

    it.effect("a chain that is away tells nothing", () =>
      Effect.gen(function* () {
        const { chainIs } = yield* VenueGround
        const { order, venue } = yield* made
        yield* chainIs("away")
        const failure = yield* Effect.ensuring(
          Effect.flip(venue.find(soughtBy(order))),
          chainIs("well")
        )
        assert.strictEqual(failure._tag, "ChainUnavailable")
      })
    )

    it.effect("a node that lacks the block through which it is asked tells nothing", () =>
      Effect.gen(function* () {
        const { finalize, newest } = yield* VenueGround
        const { order, venue } = yield* begun
        yield* venue.place(order)
        const through = yield* newest
        const sought = { ...soughtBy(order), through }
        assert.strictEqual((yield* Effect.flip(venue.find(sought)))._tag, "ChainUnavailable")
        yield* finalize
        assert.deepStrictEqual(yield* venue.find(sought), none)
        const elsewhere = { ...through, hash: `0x${"ee".repeat(32)}` }
        const failure = yield* Effect.flip(venue.find({ ...sought, through: elsewhere }))
        assert.strictEqual(failure._tag, "ChainUnavailable")
      })
    )
  })
