/**
 * Whatever is asked about ways between chains begins them first, where they begin only when they are asked for. It waits
 * a bounded time, in no transaction; who waited too long is told when to ask again.
 */
import { Effect } from "effect"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { BeginBridges } from "../ports/bridge.ts"

export const beginBridges = Effect.flatten(BeginBridges).pipe(
  Effect.catchTag("BridgesNotBegun", ({ detail, retryAfterSeconds }) =>
    Effect.fail(
      new UpstreamUnavailable({
        message: `${detail} Ask again in ${retryAfterSeconds} seconds.`,
        details: { retryAfterSeconds }
      })
    )
  )
)
