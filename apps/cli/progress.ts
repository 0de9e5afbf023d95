/**
 * What is going on while a command takes its time: one line that is written over in a terminal, and elsewhere a line
 * for each change. It goes to standard error, so that no reader of the output meets it.
 */
import { Clock, Console, Effect } from "effect"
import { Shell } from "./shell.ts"
import { printable } from "./table.ts"

export interface Progress {
  readonly show: (text: string) => Effect.Effect<void>
  /** Takes the line away, so that what is printed next stands alone. */
  readonly end: Effect.Effect<void>
}

export const progress: Effect.Effect<Progress, never, Shell> = Effect.gen(function* () {
  const { rewriteLine } = yield* Shell
  const startedAt = yield* Clock.currentTimeMillis
  let last = ""
  return {
    show: Effect.fnUntraced(function* (text: string) {
      if (rewriteLine !== undefined) {
        const seconds = Math.round(((yield* Clock.currentTimeMillis) - startedAt) / 1000)
        return yield* Effect.sync(() => rewriteLine(printable(`${text} (${seconds} s)`)))
      }
      if (text !== last) yield* Console.error(printable(text))
      last = text
    }),
    end: Effect.sync(() => rewriteLine?.(""))
  }
})
