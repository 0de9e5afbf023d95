/** When somebody in a simulated world acts next: at once, some time later, or right at a moment that matters. */
import { DateTime, Effect } from "effect"
import type { Chance } from "./chance.ts"
import type { World } from "./world.ts"

const ms = DateTime.toEpochMillis

/** A millisecond to either side, and a second, as blocks are stamped in seconds. */
const besidesMs = [-1000, -1, 0, 0, 1, 500, 1000] as const

const expiriesMs = (world: World): ReadonlyArray<number> =>
  world.stores
    .all("payment requests")
    .filter(({ status }) => !["paid", "expired", "cancelled"].includes(status))
    .map(({ expiresAt }) => ms(expiresAt))

const retriesMs = (world: World): ReadonlyArray<number> =>
  world.stores
    .all("deliveries")
    .flatMap(({ delivery }) => (delivery.nextAttemptAt === null ? [] : ms(delivery.nextAttemptAt)))

export const pause = (world: World, chance: Chance, defaultMs: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (chance.has(world.profile.boundary)) {
      const longestMs = 4 * defaultMs
      const moments = chance.has(0.85) ? expiriesMs(world) : retriesMs(world)
      const near = moments.filter((atMs) => atMs > world.nowMs && atMs < world.nowMs + longestMs)
      const momentMs = chance.some(near)
      if (momentMs !== undefined) {
        return Effect.sleep(Math.max(0, momentMs + chance.pick(besidesMs) - world.nowMs))
      }
    }
    if (chance.has(world.profile.burst)) return Effect.sleep(chance.below(50))
    const later = chance.below(2 * defaultMs)
    // Half of them on the full second, where clients, blocks and expiries meet.
    return Effect.sleep(chance.has(0.5) ? later : later + 1000 - ((world.nowMs + later) % 1000))
  })
