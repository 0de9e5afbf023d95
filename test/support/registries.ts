/** What the top floor hands down: kinds, purposes and submitters, under the settings there are by default. */
import { Layer } from "effect"
import * as NoVenues from "../../adapters/memory/swap-venue.ts"
import * as Settings from "../../core/treasury/settings.ts"

/** Nothing is swapped, where a test does not say otherwise. */
export const registries = Layer.merge(
  Settings.layer({ siteUrl: "http://treasury.test", livemode: false, ...Settings.defaults }),
  NoVenues.none
)
