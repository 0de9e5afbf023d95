/**
 * Where the token says how an authorization ended, when none of the known transactions did it: its log,
 * sought from the time the authorization can first have been used up to the head.
 */
import { Effect } from "effect"
import type { TransactionId } from "../../core/chains/address.ts"
import { transactionOf } from "./contract.ts"
import type * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"
import * as SoughtLogs from "./sought-logs.ts"

export interface Ending {
  readonly end: "used" | "cancelled"
  readonly txHash: TransactionId
}

export const decode = (log: unknown, authorization: Receipt.Spent): Ending | undefined => {
  const end = Receipt.endIn(log, authorization)
  if (end === undefined) return undefined
  const { transactionHash } = log as Readonly<Record<string, unknown>>
  return typeof transactionHash === "string"
    ? { end, txHash: transactionOf(transactionHash) }
    : undefined
}

/** How the authorization ended, not looking at blocks before `since` (Unix seconds). */
export const find = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Receipt.Spent,
  since: number,
  head: number
) {
  const range = { first: yield* SoughtLogs.lastBefore(node, head, since), last: head }
  const ask = (first: number, last: number) => Receipt.askEnds(authorization, first, last)
  return yield* SoughtLogs.first(node, ask, range, (log) =>
    Effect.succeed(decode(log, authorization))
  )
})
