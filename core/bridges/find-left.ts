/**
 * Whether anything has left under an identity, by whichever bridge: the records may be lost, and the bridge that is best
 * today need not be the one it left by.
 */
import { Effect } from "effect"
import { type Bridge, Bridges, type Journey, type Start } from "../ports/bridge.ts"
import * as Worth from "../sales/worth.ts"

export const hasWay = ({ routes }: Bridge, { from, to }: Pick<Journey, "from" | "to">): boolean =>
  routes.some(
    (route) =>
      route.from.chainId === from.chainId &&
      route.from.token === from.token &&
      route.to.chainId === to.chainId &&
      route.to.token === to.token
  )

export interface Found {
  readonly bridge: Bridge
  readonly start: Start
}

/** What left may have asked for less than would be quoted now; less than this no quote in range comes down to. */
const sought = ({ slips }: Bridge, journey: Journey): Journey =>
  slips ? { ...journey, minBuyUnits: Worth.minInRange(journey.minBuyUnits) } : journey

/** How it stands with its own bridge, unless something left by another. */
export const findLeft = Effect.fnUntraced(function* (own: Bridge, journey: Journey) {
  const start = yield* own.start(sought(own, journey))
  const found: Found = { bridge: own, start }
  if (start._tag === "left" || start._tag === "taken") return found
  const others = (yield* Bridges).filter(
    (bridge) => bridge.protocol !== own.protocol && hasWay(bridge, journey)
  )
  for (const bridge of others) {
    const other = yield* bridge.start(sought(bridge, { ...journey, terms: {} }))
    if (other._tag === "left" || other._tag === "taken") return { bridge, start: other }
  }
  return found
})
