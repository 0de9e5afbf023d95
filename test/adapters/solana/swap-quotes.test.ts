/** Jupiter's swap API, as the local aggregator speaks it, quotes as every venue does. */
import { Effect, Layer } from "effect"
import * as Jupiter from "../../../adapters/providers/jupiter.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import { AddressKey } from "../../../core/chains/address.ts"
import { SwapVenues } from "../../../core/ports/swap-venue.ts"
import * as Contract from "../../contracts/swap-quotes.contract.ts"
import * as Solana from "../../support/solana.ts"
import { chainId, mintOf } from "../../support/solana-swaps.ts"
import { anOwner } from "../../support/solana-world.ts"

/** The pool of a pair is deep, so that halving its price is all that moves it. */
const sellAmount = 1_000_000n

const ground = Layer.effect(
  Contract.QuoteGround,
  Effect.gen(function* () {
    const { market, usdc } = yield* LocalSolana
    const jup = yield* mintOf("JUP")
    const owner = AddressKey.make(anOwner())
    return {
      request: Effect.sync(() => ({
        ...{ chainId, owner, receiver: owner, slippageBps: 50 },
        ...{ sell: jup, sellAmount, buy: AddressKey.make(usdc) }
      })),
      withoutRoute: (request) => ({ ...request, buy: AddressKey.make(anOwner()) }),
      tooSmall: (request) => ({ ...request, sellAmount: 1n }),
      smallIs: "RouteNotAvailable",
      becomes: (mood) => {
        if (mood === "answers") return market.twist()
        if (mood === "busy") return market.twist(() => ({ status: 429 }))
        return market.twist((build) =>
          mood === "away" ? "hang up" : { ...build, inAmount: String(sellAmount + 1n) }
        )
      },
      halvePrice: ({ sell }) => market.dilute(sell, [2n, 1n])
    } satisfies Contract.QuoteGround["Service"]
  })
)

const venues = Layer.effect(
  SwapVenues,
  LocalSolana.use(({ market }) =>
    Effect.map(Jupiter.venue({ chainId, url: market.url }), (venue) => ({ venues: [venue] }))
  )
)

const world = Layer.merge(ground, venues).pipe(Layer.provideMerge(Layer.orDie(Solana.layer)))

Contract.suite("Jupiter", world)
Contract.builds("Jupiter", world, (isSilent) =>
  Effect.flatMap(LocalSolana, ({ market }) =>
    market.twist(isSilent ? (build) => ({ ...build, swapInstruction: null as never }) : undefined)
  )
)
