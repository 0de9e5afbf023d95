/**
 * What the chain says became of a permit. That it was taken takes its own transaction or one that carries
 * its very signature; that it never will takes a finalized block in which its count is gone or its time over.
 */
import { Effect, Predicate } from "effect"
import type { Attempt, Authorization } from "../../core/evm/journal.ts"
import type { Depth, TransactionStatus } from "../../core/evm/relay.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import * as Approval from "./approval.ts"
import type * as Node from "./node.ts"
import * as Permit from "./permit.ts"
import type { Receipt } from "./receipt.ts"
import type { RpcFailed } from "./rpc.ts"
import * as SoughtLogs from "./sought-logs.ts"
import {
  blockOf,
  finalBlock,
  inconsistent,
  isFinal,
  reverted,
  type Survey,
  seconds,
  survey,
  usableSince
} from "./survey.ts"

const says = (log: unknown, permit: Authorization): Approval.Logged | undefined => {
  const approval = Approval.decode(log)
  return approval?.token === permit.token &&
    approval.owner === permit.from &&
    approval.spender === permit.to &&
    approval.amount === permit.amountMicro
    ? approval
    : undefined
}

const took = (receipt: Receipt, permit: Authorization): boolean =>
  receipt.isSuccess && receipt.logs.some((log) => says(log, permit) !== undefined)

/** Whether a transaction carries the permit: its signature stands in what was called. */
const carries = Effect.fnUntraced(function* (
  node: Node.Node,
  txHash: string,
  permit: Authorization
) {
  const [transaction] = yield* node.ask([{ method: "eth_getTransactionByHash", params: [txHash] }])
  if (!Predicate.hasProperty(transaction, "input")) {
    return yield* inconsistent(node, `there is no transaction ${txHash}, though there is its log`)
  }
  return String(transaction.input).toLowerCase().includes(permit.signature.slice(2).toLowerCase())
})

/** The count is gone, by none of the known transactions: another carried it, or another permit came first. */
const takenElsewhere = Effect.fnUntraced(function* (
  node: Node.Node,
  permit: Authorization,
  attempts: ReadonlyArray<Attempt>,
  { finalizedNumber }: Survey
): Effect.fn.Return<TransactionStatus, RpcFailed | ChainUnavailable> {
  const { head } = yield* survey(node, [])
  const since = usableSince(permit, attempts)
  const range = { first: yield* SoughtLogs.lastBefore(node, head, since), last: head }
  const only = { token: permit.token, spender: permit.to }
  const txHash = yield* SoughtLogs.first(
    node,
    (first, last) => Approval.ask([permit.from], first, last, only),
    range,
    Effect.fnUntraced(function* (log) {
      const approval = says(log, permit)
      if (approval === undefined) return undefined
      return (yield* carries(node, approval.txHash, permit)) ? approval.txHash : undefined
    })
  )
  if (txHash === undefined) {
    const { hash } = yield* finalBlock(node, finalizedNumber)
    // By its hash: a backend that lags behind would tell of an earlier block without a word.
    const counted = yield* Permit.count(node, permit.from, { blockHash: hash })
    return { _tag: "nonce_consumed", isFinal: counted > BigInt(permit.nonce) }
  }
  // Anew: it was in no block yet when the chain was looked at before.
  const surveyed = yield* survey(node, [txHash])
  const [receipt] = surveyed.receipts
  if (receipt === undefined || !took(receipt, permit)) {
    return yield* inconsistent(node, `the receipt of ${txHash} does not say what its log says`)
  }
  const block = yield* blockOf(node, receipt)
  return { _tag: "paid", txHash, isFinal: isFinal(node, surveyed, block) }
})

/** Whether a finalized block is later than the permit lasts, with its count not gone in it. */
const isImpossible = Effect.fnUntraced(function* (
  node: Node.Node,
  permit: Authorization,
  finalizedNumber: number
) {
  const { hash, timestamp } = yield* finalBlock(node, finalizedNumber)
  if (seconds(timestamp) <= permit.validBefore) return false
  const counted = yield* Permit.count(node, permit.from, { blockHash: hash })
  return counted <= BigInt(permit.nonce)
})

export const once = Effect.fnUntraced(function* (
  node: Node.Node,
  permit: Authorization,
  attempts: ReadonlyArray<Attempt>,
  depth: Depth
): Effect.fn.Return<TransactionStatus, RpcFailed | ChainUnavailable> {
  const surveyed = yield* survey(
    node,
    attempts.map(({ txHash }) => txHash)
  )
  if (depth === "receipts" && surveyed.receipts.length === 0) return { _tag: "pending" }
  const taken = surveyed.receipts.find((receipt) => took(receipt, permit))
  if (taken !== undefined) {
    const block = yield* blockOf(node, taken)
    return { _tag: "paid", txHash: taken.txHash, isFinal: isFinal(node, surveyed, block) }
  }
  if ((yield* Permit.count(node, permit.from)) > BigInt(permit.nonce)) {
    return yield* takenElsewhere(node, permit, attempts, surveyed)
  }
  if (yield* isImpossible(node, permit, surveyed.finalizedNumber)) return { _tag: "impossible" }
  return (yield* reverted(node, surveyed)) ?? { _tag: "pending" }
})
