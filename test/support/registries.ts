/** What the top floor hands down: kinds, purposes and submitters, under the settings there are by default. */
import { Effect, Layer } from "effect"
import * as NoVenues from "../../adapters/memory/swap-venue.ts"
import { AgreedPrices } from "../../core/tokens/agreed-price.ts"
import * as Settings from "../../core/treasury/settings.ts"

/** Nothing is swapped and nothing but a test's own has a price, where a test does not say otherwise. */
export const registries = Layer.mergeAll(
  Settings.layer({ siteUrl: "http://treasury.test", livemode: false, ...Settings.defaults }),
  NoVenues.none,
  Layer.succeed(AgreedPrices, {
    learn: () => Effect.void,
    known: () => Effect.undefined,
    shown: (tokens) => Effect.succeed({ prices: tokens.map(() => undefined), stale: false })
  })
)
