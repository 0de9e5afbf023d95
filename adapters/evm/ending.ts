/**
 * Where the token says how an authorization ended, when none of the known transactions did it: its log,
 * sought from the time the authorization can first have been used up to the head.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Authorization } from "../../core/proposals/execution.ts"
import * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"
import type { RpcFailed } from "./rpc.ts"

/** The logs of one authorization are few: many more blocks may be asked for than in a look. */
const spanOf = (node: Node.Node): number => 10 * Node.mostBlocksOf(node.connection)
const probesAtOnce = 8

/** A block at which a time was not yet reached, at most one span before the one that reached it. */
const lastBefore = Effect.fnUntraced(function* (node: Node.Node, head: number, seconds: number) {
  let low = 0
  let high = head
  while (high - low > spanOf(node)) {
    const step = Math.ceil((high - low) / (probesAtOnce + 1))
    const numbers = Array.from({ length: probesAtOnce }, (_, at) => low + step * (at + 1)).filter(
      (number) => number < high
    )
    const headers = yield* Node.headers(node, numbers)
    // What a node has pruned is older than what it has.
    const early = headers.filter(
      (header) => header === undefined || header.block.timestamp.epochMilliseconds / 1000 < seconds
    ).length
    high = numbers[early] ?? high
    low = numbers[early - 1] ?? low
  }
  return low
})

export interface Ending {
  readonly end: "used" | "cancelled"
  readonly txHash: string
}

const decode = (log: unknown, authorization: Authorization): Ending | undefined => {
  const end = Receipt.endIn(log, authorization)
  if (end === undefined) return undefined
  const { transactionHash } = log as Readonly<Record<string, unknown>>
  return typeof transactionHash === "string"
    ? { end, txHash: transactionHash.toLowerCase() }
    : undefined
}

/** The logs of a range; half of it at a time for a node that finds it too much. */
const logsBetween = (
  node: Node.Node,
  authorization: Authorization,
  first: number,
  last: number
): Effect.Effect<ReadonlyArray<unknown>, RpcFailed | ChainUnavailable> =>
  node.ask([Receipt.askEnds(authorization, first, last)]).pipe(
    Effect.map(([logs]) => (Array.isArray(logs) ? logs : [])),
    Effect.catchTag("RpcFailed", (failed) => {
      if (failed.reason !== "oversized" || first === last) return Effect.fail(failed)
      const middle = Math.floor((first + last) / 2)
      return Effect.zipWith(
        logsBetween(node, authorization, first, middle),
        logsBetween(node, authorization, middle + 1, last),
        (lower, upper) => [...lower, ...upper]
      )
    })
  )

/** How the authorization ended, not looking at blocks before `since` (Unix seconds). */
export const find = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  since: number,
  head: number
) {
  let first = yield* lastBefore(node, head, since)
  while (first <= head) {
    const last = Math.min(head, first + spanOf(node) - 1)
    for (const log of yield* logsBetween(node, authorization, first, last)) {
      const ending = decode(log, authorization)
      if (ending !== undefined) return ending
    }
    first = last + 1
  }
  return undefined
})
