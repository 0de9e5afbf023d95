/**
 * Looks whether somebody else tried to take an order back and was refused, and tells of it once. Nothing depends on it:
 * the contract has refused already, and a chain that does not answer holds up nothing.
 */
import { Effect, type Schema } from "effect"
import type { Bridge, Journey } from "../ports/bridge.ts"
import type { Wait } from "../waits/wait.ts"
import { tellRefused } from "./tell-refused.ts"

/** What the journal is to keep of it. */
export const tellStrangers = Effect.fnUntraced(function* (
  wait: Wait,
  { strangers }: Bridge,
  journey: Journey
) {
  const { journal } = wait
  const nothing: Schema.JsonObject = {}
  if (strangers === undefined || journal.isStrangerTold === true) return nothing
  const since = typeof journal.seenThrough === "number" ? journal.seenThrough : null
  const seen = yield* Effect.orElseSucceed(strangers(journey, since), () => undefined)
  if (seen === undefined) return nothing
  const [txId] = seen.txIds
  if (txId !== undefined) {
    yield* tellRefused(
      wait,
      "BRIDGE_STRANGER_REFUSED",
      `Somebody who may not take the order back tried to, in ${txId}; the contract refused it.`
    )
  }
  const kept: Schema.JsonObject =
    txId === undefined ? { seenThrough: seen.through } : { isStrangerTold: true }
  return kept
})
