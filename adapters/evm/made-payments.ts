/**
 * What wallets have paid, as the token's own logs tell it: every authorization of theirs that was used or cancelled in
 * final blocks, over the whole chain where the node allows it, and over the last month where not.
 */
import { Clock, type DateTime, Effect } from "effect"
import type { AddressKey } from "../../core/chains/address.ts"
import type { Block as ChainBlock, ChainUnavailable } from "../../core/ports/chains.ts"
import type { MadePayment, Reach, Through } from "../../core/submissions/submitter.ts"
import { cancelledTopic, usedTopic } from "./authorization.ts"
import * as Block from "./block.ts"
import { transactionOf } from "./contract.ts"
import * as Log from "./log.ts"
import * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"
import type { Call, RpcFailed } from "./rpc.ts"
import * as SoughtLogs from "./sought-logs.ts"
import { blockOf, inconsistent, seconds, survey } from "./survey.ts"

/** A month and a day. */
const soughtSeconds = 32 * 24 * 3600
const receiptsAtOnce = 50

const askEnds =
  (token: string, wallets: ReadonlyArray<AddressKey>) =>
  (first: number, last: number): Call => ({
    method: "eth_getLogs",
    params: [
      {
        address: token,
        topics: [[usedTopic, cancelledTopic], wallets.map(Receipt.holderTopic)],
        fromBlock: Block.hex(first),
        toBlock: Block.hex(last)
      }
    ]
  })

interface End {
  readonly from: AddressKey
  readonly nonce: string
  readonly txHash: string
}

/** The end of an authorization of one of the wallets, if a log is about one. */
const endIn = (log: unknown, token: AddressKey, wallets: ReadonlyArray<AddressKey>) => {
  const { topics, transactionHash } = (log ?? {}) as Readonly<Record<string, unknown>>
  if (!Array.isArray(topics) || typeof transactionHash !== "string") return []
  const nonce = String(topics[2]).toLowerCase()
  const from = wallets.find(
    (wallet) => Receipt.endIn(log, { token, from: wallet, nonce }) !== undefined
  )
  const end: End | undefined =
    from === undefined ? undefined : { from, nonce, txHash: transactionOf(transactionHash) }
  return end === undefined ? [] : [end]
}

/** All logs by one question, or a range at a time for a node that refuses that. */
const logsOf = Effect.fnUntraced(function* (
  node: Node.Node,
  ask: (first: number, last: number) => Call,
  last: number,
  paidSince: DateTime.Utc | undefined
) {
  const whole = yield* SoughtLogs.certain(node, ask)(0, last).pipe(
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "oversized" ? Effect.undefined : Effect.fail(failed)
    )
  )
  if (whole !== undefined) return whole
  const monthAgo = Math.floor((yield* Clock.currentTimeMillis) / 1000) - soughtSeconds
  const since = paidSince === undefined ? monthAgo : Math.min(monthAgo, seconds(paidSince))
  const first = yield* SoughtLogs.lastBefore(node, last, since)
  return yield* SoughtLogs.all(node, ask, { first, last })
})

/** Refuses a node that calls an earlier block its last final one, or none, or has another in its place. */
export const requireFinal = Effect.fnUntraced(function* (
  node: Node.Node,
  { hash, number }: Through,
  finalizedNumber: number
) {
  if (finalizedNumber < number) {
    return yield* inconsistent(node, `block ${number} is not final there, as it was before`)
  }
  const [header] = yield* Node.headers(node, [number])
  if (header?.block.hash !== hash) {
    return yield* inconsistent(node, `block ${number} is another one there than before`)
  }
})

const paidIn = (
  node: Node.Node,
  { from, nonce }: End,
  receipt: Receipt.Receipt,
  block: ChainBlock
) => {
  const { chain, usdc: token } = node.connection
  const used = receipt.logs.findIndex(
    (log) => Receipt.endIn(log, { token, from, nonce }) === "used"
  )
  if (used === -1) return null
  // The token logs the transfer right after the use of its authorization.
  const [moved] = receipt.logs
    .slice(used + 1)
    .flatMap((log) => Log.decode(log, token, block) ?? [])
    .filter((transfer) => transfer.from === from)
  if (moved === undefined) return null
  const amount = { token: { chainId: chain.id, address: token }, units: moved.amountMicro }
  return { to: moved.to, amount }
}

export const madeBy = (
  node: Node.Node,
  wallets: ReadonlyArray<AddressKey>,
  reach?: Reach
): Effect.Effect<ReadonlyArray<MadePayment>, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const token = node.connection.usdc
    const { finalizedNumber } = yield* survey(node, [])
    if (reach?.through !== undefined) yield* requireFinal(node, reach.through, finalizedNumber)
    const since = reach?.paidSince ?? reach?.keptSince
    const logs = yield* logsOf(node, askEnds(token, wallets), finalizedNumber, since)
    const ends = logs.flatMap((log) => endIn(log, token, wallets))
    const made: Array<MadePayment> = []
    for (let at = 0; at < ends.length; at += receiptsAtOnce) {
      const some = ends.slice(at, at + receiptsAtOnce)
      const { receipts } = yield* survey(
        node,
        some.map(({ txHash }) => txHash)
      )
      for (const end of some) {
        const receipt = receipts.find(({ txHash }) => txHash === end.txHash)
        if (receipt === undefined) {
          return yield* inconsistent(node, `there is no receipt of ${end.txHash}`)
        }
        const block = yield* blockOf(node, receipt)
        const paid = paidIn(node, end, receipt, block)
        const identity = end.nonce.slice(2)
        const { feeWei: laidOut, txHash: txId } = receipt
        const told = { txId, from: end.from, at: block.timestamp, identity, paid }
        made.push(laidOut === undefined ? told : { ...told, laidOut })
      }
    }
    return made
  })
