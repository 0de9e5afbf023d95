/**
 * Statements that take what has gathered: one that comes soon after another waits a moment for more, and a lone
 * one waits for nothing.
 */
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"

/** How soon after a statement began the next one may begin. */
const gatherMs = 5

export const make = () => {
  // In real time, whatever clock the core is on: it is the database that is spared.
  let gathered: Promise<unknown> = Promise.resolve()
  return {
    wait: Effect.promise(() => gathered),
    begin: () => {
      gathered = setTimeout(gatherMs, undefined, { ref: false })
    }
  }
}
