/**
 * Statements that take what has gathered: one that comes soon after another waits a moment for more, and a lone
 * one waits for nothing.
 */
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"

/** How soon after a statement began the next one may begin. */
const gatherMs = 5

/** After a statement that took many, more come, and one statement for them costs the database the least. */
const many = 8
const gatherManyMs = 20

export const make = () => {
  // In real time, whatever clock the core is on: it is the database that is spared.
  let gathered: Promise<unknown> = Promise.resolve()
  return {
    wait: Effect.promise(() => gathered),
    /** Begins one, of so many when that is known. */
    begin: (size = 1) => {
      const waitMs = size < many ? gatherMs : gatherManyMs
      gathered = setTimeout(waitMs, undefined, { ref: false })
    }
  }
}
