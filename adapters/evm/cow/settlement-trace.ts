/**
 * What the chain says became of an order. That it was filled takes the settlement contract's own log; that it never
 * will be takes a block the chain calls final, later than the order lasts or with the order invalidated, and no such
 * log before it: the count of what was filled can be wiped once an order is over.
 */
import { Effect, Predicate } from "effect"
import type { Hex } from "viem"
import {
  decodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  parseAbiParameters,
  toEventSelector
} from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import type { Block as ChainBlock, ChainUnavailable } from "../../../core/ports/chains.ts"
import type { Fill, NamedOrder } from "../../../core/ports/swap-venue.ts"
import * as Block from "../block.ts"
import { address, keyOf, transactionOf } from "../contract.ts"
import * as Log from "../log.ts"
import * as Node from "../node.ts"
import type * as Receipt from "../receipt.ts"
import type { Call, RpcFailed } from "../rpc.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { blockOf, finalBlock, inconsistent, type Survey, seconds, survey } from "../survey.ts"
import { settlement } from "./order.ts"

export interface Filled {
  readonly _tag: "filled"
  readonly fill: Fill
  readonly isFinal: boolean
}

/** `unfilled`: it may still be filled, as far as the chain tells. */
export type TransactionStatus =
  | { readonly _tag: "unfilled" }
  | Filled
  | { readonly _tag: "dead"; readonly block: string; readonly txId: TransactionId | null }

type At = "latest" | { readonly blockHash: string }

const abi = parseAbi(["function filledAmount(bytes orderUid) view returns (uint256)"])

export const tradeTopic = toEventSelector(
  "Trade(address,address,address,uint256,uint256,uint256,bytes)"
)
const invalidatedTopic = toEventSelector("OrderInvalidated(address,bytes)")

const traded = parseAbiParameters(
  "address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid"
)
const invalidated = parseAbiParameters("bytes orderUid")

/** What the contract counts as filled of an order that was invalidated. */
const everything = 2n ** 256n - 1n

/** An order is placed at most so long before it ends; clocks differ, and so it is sought from earlier. */
const soughtSeconds = 2 * 3600

const filledAmount = Effect.fnUntraced(function* (node: Node.Node, orderId: string, at: At) {
  const data = encodeFunctionData({
    abi,
    functionName: "filledAmount",
    args: [address(orderId)]
  })
  const [answer] = yield* node.ask([{ method: "eth_call", params: [{ to: settlement, data }, at] }])
  const amount = Block.amount(answer)
  if (amount !== undefined) return amount
  return yield* inconsistent(node, "the settlement contract does not tell what was filled")
})

export const topicOf = (owner: string): string =>
  `0x${owner.slice(2).toLowerCase().padStart(64, "0")}`

const askLogs =
  ({ owner }: NamedOrder) =>
  (first: number, last: number): Call => ({
    method: "eth_getLogs",
    params: [
      {
        address: settlement,
        topics: [[tradeTopic, invalidatedTopic], topicOf(owner)],
        fromBlock: Block.hex(first),
        toBlock: Block.hex(last)
      }
    ]
  })

interface Told {
  readonly event: "traded" | "invalidated"
  readonly txId: TransactionId
}

/** What a log says of the order, if it is the settlement contract's and about this order. */
const read = (log: unknown, { orderId, owner }: NamedOrder): Told | undefined => {
  if (!Predicate.isObject(log) || log.removed === true) return undefined
  const { address: from, data, topics, transactionHash } = log
  if (typeof from !== "string" || keyOf(from) !== settlement || !Array.isArray(topics)) {
    return undefined
  }
  const [topic, holder] = topics.map((each) => String(each).toLowerCase())
  if (holder !== topicOf(owner) || typeof transactionHash !== "string") return undefined
  const event = topic === tradeTopic ? "traded" : topic === invalidatedTopic ? "invalidated" : null
  if (event === null) return undefined
  const values = decoded(event, data)
  const uid = String(values?.at(-1)).toLowerCase()
  return uid === orderId.toLowerCase() ? { event, txId: transactionOf(transactionHash) } : undefined
}

/** What a log of the settlement contract says; undefined when it has not the form. */
export const decoded = (
  event: Told["event"],
  data: unknown
): ReadonlyArray<unknown> | undefined => {
  try {
    return decodeAbiParameters(event === "traded" ? traded : invalidated, data as Hex)
  } catch {
    return undefined
  }
}

/** The first log about the order, in the blocks up to one. */
const find = Effect.fnUntraced(function* (
  node: Node.Node,
  order: NamedOrder,
  event: Told["event"],
  last: number
) {
  const first = yield* SoughtLogs.lastBefore(node, last, order.validTo - soughtSeconds)
  return yield* SoughtLogs.first(node, askLogs(order), { first, last }, (log) => {
    const told = read(log, order)
    return Effect.succeed(told?.event === event ? told.txId : undefined)
  })
})

/** By how much a receipt says that the receiver's balance of what was bought has risen. */
const risen = (
  { logs }: Receipt.Receipt,
  block: ChainBlock,
  { buy, receiver }: NamedOrder
): bigint =>
  logs.reduce<bigint>((sum, log) => {
    const moved = Log.decode(log, buy, block)
    if (moved === undefined) return sum
    const into = moved.to === receiver ? moved.amountMicro : 0n
    return sum + into - (moved.from === receiver ? moved.amountMicro : 0n)
  }, 0n)

/** What the transaction moved for this order, by its own logs. */
const fillIn = (
  receipt: Receipt.Receipt,
  block: ChainBlock,
  order: NamedOrder
): Fill | undefined => {
  const log = receipt.logs.find((each) => read(each, order)?.event === "traded")
  const values = Predicate.hasProperty(log, "data") ? decoded("traded", log.data) : undefined
  if (!receipt.isSuccess || values === undefined) return undefined
  const [, , soldAmount, given, fee = 0n] = values as ReadonlyArray<bigint>
  const token = { chainId: order.chainId, address: order.sell }
  const fees = fee > 0n ? [{ kind: "protocol" as const, amount: { token, units: fee } }] : []
  const rise = risen(receipt, block, order)
  // Another order of ours in the same settlement pays the same receiver; its part is not this one's.
  const boughtAmount = given !== undefined && given < rise ? given : rise
  return { txId: receipt.txHash, soldAmount: soldAmount ?? 0n, boughtAmount, fees }
}

/** What a transaction that is said to have filled the order did for it. */
export const filled = Effect.fnUntraced(function* (
  node: Node.Node,
  order: NamedOrder,
  txId: TransactionId
): Effect.fn.Return<Filled, RpcFailed | ChainUnavailable> {
  const { finalizedNumber, receipts } = yield* survey(node, [txId])
  const [receipt] = receipts
  if (receipt === undefined) return yield* inconsistent(node, `there is no receipt of ${txId}`)
  const block = yield* blockOf(node, receipt)
  const fill = fillIn(receipt, block, order)
  if (fill === undefined) {
    return yield* inconsistent(node, `the receipt of ${txId} does not say what its log says`)
  }
  return { _tag: "filled", fill, isFinal: block.number <= finalizedNumber }
})

/** Nothing counts as filled now: whether it ever was or can be, as of the newest final block. */
const ended = Effect.fnUntraced(function* (
  node: Node.Node,
  order: NamedOrder,
  { finalizedNumber }: Survey
): Effect.fn.Return<TransactionStatus, RpcFailed | ChainUnavailable> {
  const final = yield* finalBlock(node, finalizedNumber)
  // By its hash: a backend that lags behind would tell of an earlier block without a word.
  const counted = yield* filledAmount(node, order.orderId, { blockHash: final.hash })
  const isOver = seconds(final.timestamp) > order.validTo
  if (counted !== everything && !isOver) return { _tag: "unfilled" }
  const soldBy = yield* find(node, order, "traded", final.number)
  if (soldBy !== undefined) return yield* filled(node, order, soldBy)
  const txId =
    counted === everything ? yield* find(node, order, "invalidated", final.number) : undefined
  return { _tag: "dead", block: final.hash, txId: txId ?? null }
})

const once = Effect.fnUntraced(function* (node: Node.Node, order: NamedOrder) {
  const surveyed = yield* survey(node, [])
  const counted = yield* filledAmount(node, order.orderId, "latest")
  if (counted === 0n || counted === everything) return yield* ended(node, order, surveyed)
  const { head } = yield* survey(node, [])
  const txId = yield* find(node, order, "traded", head)
  if (txId === undefined) return yield* inconsistent(node, "no log says who filled the order")
  return yield* filled(node, order, txId)
})

const repeatsWhenInconsistent = 3

export const trace = (
  node: Node.Node,
  order: NamedOrder
): Effect.Effect<TransactionStatus, ChainUnavailable> =>
  once(node, order).pipe(
    Effect.mapError((failed) => Node.translate(node, failed)),
    Effect.retry({
      times: repeatsWhenInconsistent,
      while: (failed) => failed.reason === "inconsistent"
    })
  )
