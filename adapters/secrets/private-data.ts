/**
 * Before anything is opened: what this process makes is its own user's, and so are the data directory that is there and
 * the lines of history. What is missing is made private by whoever first keeps something in it.
 */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import * as PrivateDirectory from "../disk/private-directory.ts"
import * as Lines from "./timeline.ts"

export const secure = Effect.fnUntraced(function* (
  dataDirectory: string,
  timelineDirectory: string
) {
  PrivateDirectory.keepToSelf()
  if (existsSync(dataDirectory)) yield* PrivateDirectory.secure(dataDirectory)
  yield* Lines.secure(timelineDirectory)
})
