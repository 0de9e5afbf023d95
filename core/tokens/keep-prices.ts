/**
 * Keeps the prices of the list fresh where tokens are swapped, so that whoever confirms, signs or votes for a trade
 * in a transaction finds them there. Nothing asks for a price inside of one.
 */
import { Duration, Effect } from "effect"
import { supervise } from "../background/loop.ts"
import { SwapVenues } from "../ports/swap-venue.ts"
import { AgreedPrices } from "./agreed-price.ts"
import * as Pinned from "./pinned.ts"

/** Well within the minutes for which a price is fresh. */
const every = Duration.minutes(1)

/** Asks once for every token of the chains that have a venue. */
export const learnAll = Effect.gen(function* () {
  const { venues } = yield* SwapVenues
  const { learn } = yield* AgreedPrices
  const chainIds = new Set(venues.flatMap((venue) => venue.chainIds))
  for (const chainId of chainIds) yield* learn((yield* Pinned.on(chainId)) ?? [])
})

export const keepPrices = supervise(
  "Keeping prices",
  Effect.forever(Effect.andThen(learnAll, Effect.sleep(every)))
)
