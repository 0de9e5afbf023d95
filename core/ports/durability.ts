/** Whether what was committed outlives the server it was committed on. */
import { Context, Effect } from "effect"

/** Records that have no standby keep nothing beyond their own server. */
export const Durability = Context.Reference<{
  /** The server, and its timeline, that the running transaction writes to. */
  readonly place: Effect.Effect<string>
  /** Whether a standby of that very server has all that is committed by now; waits for it a little. */
  readonly isKept: (place: string) => Effect.Effect<boolean>
}>("bursar/ports/Durability", {
  defaultValue: () => ({ place: Effect.succeed(""), isKept: () => Effect.succeed(false) })
})
