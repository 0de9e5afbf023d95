/**
 * How far back a node's blocks go, and when they were. Nodes forget, and list what they still have as if that were all:
 * whoever rests on a list being whole asks here first.
 */
import { DateTime, Effect } from "effect"
import * as Node from "./node.ts"

/** Slots without a block in a row; after more the node does not keep that time any more. */
const maxSkipped = 16

/** The time of the first block at a slot or soon after it; undefined where the node has none. */
export const timeFrom = Effect.fnUntraced(function* (node: Node.Node, from: number) {
  for (let slot = from; slot < from + maxSkipped; slot++) {
    const answer = yield* node
      .call("getBlockTime", [slot])
      .pipe(
        Effect.catchTag("RpcFailed", (failed) =>
          failed.reason === "refused" || failed.reason === "behind"
            ? Effect.succeed(undefined)
            : Effect.fail(failed)
        )
      )
    if (typeof answer === "number") return { slot, ms: answer * 1000 }
  }
  return undefined
})

/** When the oldest block was that the node has; the beginning of time where it has them all. */
export const historyFrom = Effect.fnUntraced(function* (node: Node.Node) {
  const slot = yield* node.call("getFirstAvailableBlock", [])
  if (slot === 0) return DateTime.makeUnsafe(0)
  const found = typeof slot === "number" ? yield* timeFrom(node, slot) : undefined
  if (found !== undefined) return DateTime.makeUnsafe(found.ms)
  return yield* Node.unavailable(
    node,
    "inconsistent",
    "the node does not say how old its history is"
  )
})
