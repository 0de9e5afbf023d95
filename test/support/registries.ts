/** What the top floor hands down: kinds, purposes and submitters, under the settings there are by default. */
import * as Settings from "../../core/treasury/settings.ts"

export const registries = Settings.layer({
  siteUrl: "http://treasury.test",
  livemode: false,
  ...Settings.defaults
})
