/**
 * The horizon of marks: marks made before it may have been taken back, so only history knows of their payments. Records
 * that are older than it sign nothing here until they were held against the chains.
 */
import { Context, Effect } from "effect"

export const MarkHorizon = Context.Reference<{
  /** Whether marks were taken back that these records do not know of. */
  readonly isBehind: Effect.Effect<boolean>
}>("bursar/solana/MarkHorizon", {
  // Where nothing was ever taken back.
  defaultValue: () => ({ isBehind: Effect.succeed(false) })
})

export const isBehind = Effect.flatMap(MarkHorizon, (horizon) => horizon.isBehind)
