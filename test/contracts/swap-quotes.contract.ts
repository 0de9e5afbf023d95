/**
 * What every venue of swaps must do when it is asked, whichever way its chain swaps: quote all that is to be sold at the
 * price of the moment, tell apart why it does not, and give nothing for an answer to another question.
 */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, type Layer } from "effect"
import { type SwapRequest, SwapVenues, venueOn } from "../../core/ports/swap-venue.ts"

/** `away`: nobody answers. `busy`: whoever asks is to come later. `lies`: the answer is to another question. */
export type Mood = "answers" | "away" | "busy" | "lies"

/** The venue, from the side of those who run it. */
export class QuoteGround extends Context.Service<
  QuoteGround,
  {
    readonly request: Effect.Effect<SwapRequest>
    /** A pair that the venue does not swap, and an amount that is too small. */
    readonly withoutRoute: (request: SwapRequest) => SwapRequest
    readonly tooSmall: (request: SwapRequest) => SwapRequest
    /** What that is refused as, when it is not as an amount: some venues only have no route for so little. */
    readonly smallIs?: "RouteNotAvailable"
    readonly becomes: (mood: Mood) => Effect.Effect<void>
    /** From now on the pair gives half as much. */
    readonly halvePrice: (request: SwapRequest) => Effect.Effect<void>
  }
>()("bursar/test/QuoteGround") {}

const asking = Effect.gen(function* () {
  const ground = yield* QuoteGround
  const request = yield* ground.request
  const venue = venueOn(yield* SwapVenues, request.chainId) ?? assert.fail("there is no venue")
  return { ...ground, request, venue }
})

export const suite = <E>(name: string, ground: Layer.Layer<SwapVenues | QuoteGround, E>) =>
  layer(ground, { timeout: "60 seconds" })(`${name}: quotes of venues`, (it) => {
    it.effect("one sells all that was asked for, for something, and ends later", () =>
      Effect.gen(function* () {
        const { request, venue } = yield* asking
        const quote = yield* venue.quote(request)
        assert.strictEqual(quote.sellAmount, request.sellAmount)
        assert.isTrue(quote.buyAmount > 0n)
        assert.isTrue(DateTime.isGreaterThan(quote.expiresAt, yield* DateTime.now))
      })
    )

    it.effect("what has no route, is too small, or finds nobody there, is told apart", () =>
      Effect.gen(function* () {
        const { becomes, request, smallIs, tooSmall, venue, withoutRoute } = yield* asking
        const refused = (each: SwapRequest) =>
          Effect.map(Effect.flip(venue.quote(each)), ({ _tag }) => _tag)
        assert.strictEqual(yield* refused(withoutRoute(request)), "RouteNotAvailable")
        assert.strictEqual(yield* refused(tooSmall(request)), smallIs ?? "AmountBelowMinimum")
        yield* becomes("away")
        assert.strictEqual(yield* refused(request), "VenueUnavailable")
        yield* becomes("answers")
        assert.strictEqual((yield* venue.quote(request)).sellAmount, request.sellAmount)
      })
    )

    it.effect("an answer to another question is none, and is told as such", () =>
      Effect.gen(function* () {
        const { becomes, request, venue } = yield* asking
        yield* becomes("lies")
        const refused = yield* Effect.flip(venue.quote(request))
        assert.deepInclude(refused, { _tag: "VenueUnavailable", reason: "malformed" })
        yield* becomes("answers")
        assert.strictEqual((yield* venue.quote(request)).sellAmount, request.sellAmount)
      })
    )

    it.effect("a venue that is asked too often is told apart from one that is away", () =>
      Effect.gen(function* () {
        const { becomes, request, venue } = yield* asking
        for (const [mood, reason] of [
          ["away", "unreachable"],
          ["busy", "limited"]
        ] as const) {
          yield* becomes(mood)
          const refused = yield* Effect.flip(venue.quote(request))
          assert.deepInclude(refused, { _tag: "VenueUnavailable", reason })
        }
        yield* becomes("answers")
        assert.strictEqual((yield* venue.quote(request)).sellAmount, request.sellAmount)
      })
    )

    it.effect("each is by the price of its moment", () =>
      Effect.gen(function* () {
        const { halvePrice, request, venue } = yield* asking
        const before = (yield* venue.quote(request)).buyAmount
        yield* halvePrice(request)
        const after = (yield* venue.quote(request)).buyAmount
        assert.isTrue(after * 100n >= before * 49n && after * 100n <= before * 51n, `${after}`)
      })
    )

    it.effect("one moves nothing, however often it is asked for", () =>
      Effect.gen(function* () {
        const { request, venue } = yield* asking
        const first = yield* venue.quote(request)
        for (let asked = 0; asked < 5; asked++) {
          assert.strictEqual((yield* venue.quote(request)).buyAmount, first.buyAmount)
        }
      })
    )
  })

/** What every venue must do that says how a transaction of the wallet's own swaps; `silent` has it quote and build nothing. */
export const builds = <E, More>(
  name: string,
  ground: Layer.Layer<SwapVenues | QuoteGround | More, E>,
  silent: (isSilent: boolean) => Effect.Effect<void, never, More>
) =>
  layer(ground, { timeout: "60 seconds" })(`${name}: venues that build`, (it) => {
    const building = Effect.gen(function* () {
      const { request, venue, ...world } = yield* asking
      if (venue.execution !== "transaction") return assert.fail("it takes orders")
      const { slippageBps: _, ...asked } = request
      const order = { ...asked, minBuyAmount: 1n, validTo: 4_000_000_000 }
      return { ...world, request, venue, order }
    })

    it.effect("what is quoted is built, and the same order the same way", () =>
      Effect.gen(function* () {
        const { order, request, venue } = yield* building
        yield* venue.quote(request)
        const route = yield* venue.build(order)
        assert.containsAllKeys(route, ["program", "accounts", "data", "tables"])
        assert.strictEqual((yield* venue.build(order)).program, route.program)
      })
    )

    it.effect("what has no route, or finds nobody there, is refused as a quote is", () =>
      Effect.gen(function* () {
        const { becomes, order, request, venue, withoutRoute } = yield* building
        const elsewhere = { ...order, buy: withoutRoute(request).buy }
        assert.strictEqual((yield* Effect.flip(venue.build(elsewhere)))._tag, "RouteNotAvailable")
        for (const [mood, reason] of [
          ["away", "unreachable"],
          ["busy", "limited"],
          ["lies", "malformed"]
        ] as const) {
          yield* becomes(mood)
          const refused = yield* Effect.flip(venue.build(order))
          assert.deepInclude(refused, { _tag: "VenueUnavailable", reason })
        }
        yield* becomes("answers")
      })
    )

    it.effect("one that quotes and builds nothing has no route", () =>
      Effect.gen(function* () {
        const { order, request, venue } = yield* building
        yield* silent(true)
        assert.strictEqual((yield* venue.quote(request)).sellAmount, request.sellAmount)
        assert.strictEqual((yield* Effect.flip(venue.build(order)))._tag, "RouteNotAvailable")
        yield* silent(false)
        assert.isObject(yield* venue.build(order))
      })
    )
  })
