/** CoW Protocol's own contract, with a book and a solver around it, keeps the contract of venues. */
import { Effect, Layer } from "effect"
import { bytesToHex } from "viem/utils"
import { SwapVenues } from "../../../../core/ports/swap-venue.ts"
import * as LostOrders from "../../../contracts/lost-orders.contract.ts"
import * as Quotes from "../../../contracts/swap-quotes.contract.ts"
import * as Contract from "../../../contracts/swap-venues.contract.ts"
import { type Alter, altering } from "../../../support/altered-answers.ts"
import * as Anvil from "../../../support/anvil.ts"
import {
  chainSeconds,
  dollars,
  funded,
  requestOf,
  type Trader,
  venue
} from "../../../support/cow-venue.ts"
import { CowWorld, layer as cow } from "../../../support/cow-world.ts"

/** As if a contract of the solver's own had made the call from bytes in a form of its own. */
const wrappedUp: Alter = ({ method }, answered) => {
  if (method !== "eth_getTransactionByBlockHashAndIndex") return answered
  const transaction = answered.result as { readonly input: string }
  const inverted = Buffer.from(transaction.input.slice(2), "hex").map((byte) => byte ^ 0xff)
  const input = `0x${Buffer.from(inverted).toString("hex")}`
  return { ...answered, result: { ...transaction, input } }
}

const ground = Layer.effect(
  Contract.VenueGround,
  Effect.gen(function* () {
    const { book, sendFrom, setPrice, weth } = yield* CowWorld
    const { call, mine, proxy, reorg, timePasses } = yield* Anvil.AnvilChain
    const services = yield* Effect.context<CowWorld | Anvil.AnvilChain>()
    const traders = new Map<string, Trader>()
    return {
      request: Effect.gen(function* () {
        yield* setPrice(weth, 2_500_000_000n)
        const owner = yield* funded(1000n * dollars)
        traders.set(owner.address.toLowerCase(), owner)
        const asked = yield* requestOf(owner)
        return asked
      }).pipe(Effect.provideContext(services)),
      sign: ({ owner }, bytes) =>
        Effect.promise(
          async () => (await traders.get(owner)?.sign({ hash: bytesToHex(bytes) })) ?? "0x"
        ),
      away: (isAway) => (isAway ? book.meddle(async () => undefined) : book.meddle()),
      loseReply: book.meddle(async ({ body, method, path }, answer) => {
        const said = await answer(body)
        if (method !== "POST" || !path.endsWith("/orders")) return said
        await Effect.runPromise(book.meddle())
        return undefined
      }),
      forget: () => book.forget,
      fill: ({ orderId }) =>
        Effect.tap(
          Effect.map(book.settle(orderId), (settled) => "txHash" in settled),
          (isSent) => (isSent ? mine(1) : Effect.void)
        ),
      invalidate: ({ owner }, { call, to }) => {
        const data = String(call.data) as `0x${string}`
        return sendFrom(owner, to, data)
      },
      halvePrice: () => setPrice(weth, 5_000_000_000n),
      finalize: mine(3),
      reorg: reorg(1),
      chainIs: (mood) =>
        mood === "well"
          ? proxy.tamper()
          : proxy.tamper(mood === "away" ? () => "hang up" : altering(wrappedUp)),
      newest: Effect.map(call("eth_getBlockByNumber", "latest", false), (block) => {
        const { hash, number } = block as { readonly hash: string; readonly number: string }
        return { hash, number: Number(number) }
      }),
      chainSeconds: Effect.provideContext(chainSeconds, services),
      passes: timePasses
    } satisfies Contract.VenueGround["Service"]
  })
)

const venues = Layer.effect(
  SwapVenues,
  Effect.map(venue, (made) => ({ venues: [made] }))
)

const quotes = Layer.effect(
  Quotes.QuoteGround,
  Effect.gen(function* () {
    const { book, setPrice, weth } = yield* CowWorld
    const services = yield* Effect.context<CowWorld | Anvil.AnvilChain>()
    return {
      request: Effect.gen(function* () {
        yield* setPrice(weth, 2_500_000_000n)
        return yield* requestOf(yield* funded(1000n * dollars))
      }).pipe(Effect.provideContext(services)),
      withoutRoute: (request) => ({ ...request, buy: request.owner }),
      tooSmall: (request) => ({ ...request, sellAmount: 999n }),
      becomes: (mood) => {
        if (mood === "answers") return book.meddle()
        if (mood === "away") return book.meddle(async () => undefined)
        if (mood === "busy") return book.meddle(async () => ({ status: 429, body: {} }))
        return book.meddle(async ({ body }, answer) => {
          const said = await answer(body)
          const told = said.body as { readonly quote: object }
          return {
            ...said,
            body: { ...told, quote: { ...told.quote, sellAmount: "1" } }
          }
        })
      },
      halvePrice: () => setPrice(weth, 5_000_000_000n)
    } satisfies Quotes.QuoteGround["Service"]
  })
)

Quotes.suite(
  "CoW Protocol",
  Layer.merge(quotes, venues).pipe(Layer.provide(cow), Layer.provide(Anvil.layer))
)
Contract.suite(
  "CoW Protocol",
  Layer.merge(ground, venues).pipe(Layer.provide(cow), Layer.provide(Anvil.layer))
)
LostOrders.suite(
  "CoW Protocol",
  Layer.merge(ground, venues).pipe(Layer.provide(cow), Layer.provide(Anvil.layer))
)
