/**
 * Before anything is opened: what this process makes is its own user's, and so is the data directory that is
 * there. One that is missing is made private by whoever first keeps something in it.
 */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import * as PrivateDirectory from "../../adapters/disk/private-directory.ts"
import * as Lines from "../../adapters/secrets/timeline.ts"
import type { Configuration } from "./configuration.ts"

export const privateData = Effect.fnUntraced(function* ({
  dataDirectory,
  timelineDirectory
}: Configuration) {
  PrivateDirectory.keepToSelf()
  if (existsSync(dataDirectory)) yield* PrivateDirectory.secure(dataDirectory)
  yield* Lines.secure(timelineDirectory ?? dataDirectory)
})
