/**
 * The order of a journey as the source chain tells of it. It is known by its salt, the beginning of the identity, and
 * by its maker, so that it is found again when nobody remembers what it asked for.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import { encodeEventTopics, parseAbi } from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import * as Dln from "../../../core/chains/dln.ts"
import type { Journey } from "../../../core/ports/bridge.ts"
import { hex } from "../block.ts"
import { address, keyOf, transactionOf } from "../contract.ts"
import type * as Node from "../node.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { blockOf, seconds, survey } from "../survey.ts"
import { created } from "./contracts.ts"
import { idOf, isOf, type Order, saltOf } from "./order.ts"

export interface Made {
  readonly order: Order
  readonly orderId: Hex
  readonly txId: TransactionId
  readonly blockNumber: number
  readonly atSeconds: number
  /** Whether it gives, asks for and goes where the journey says, and lets nobody else have a say. */
  readonly isSame: boolean
}

/** The order under the salt of a journey that a log tells of. */
const orderIn = (log: unknown, journey: Journey) => {
  const made = created.in(log, Dln.source)
  if (made === undefined) return undefined
  const { order, orderId, percentFee } = made
  if (order.makerOrderNonce !== saltOf(journey)) return undefined
  if (keyOf(order.makerSrc) !== journey.sender || idOf(order) !== orderId) return undefined
  const isWhole = order.giveAmount + percentFee === journey.units
  return { order, orderId, isSame: isWhole && isOf(journey, order) }
}

/** The order that a transaction made; undefined when the chain has none of it. */
export const madeIn = Effect.fnUntraced(function* (
  node: Node.Node,
  journey: Journey,
  txId: TransactionId
) {
  const { receipts } = yield* survey(node, [txId])
  const [receipt] = receipts
  if (receipt === undefined || !receipt.isSuccess) return undefined
  const [found] = receipt.logs.flatMap((log) => orderIn(log, journey) ?? [])
  if (found === undefined) return undefined
  const { timestamp } = yield* blockOf(node, receipt)
  const { blockNumber } = receipt
  return { ...found, txId, blockNumber, atSeconds: seconds(timestamp) } satisfies Made as Made
})

const transfers = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)"
])

/** Where the source has an order of this identity, by what the wallet gave to the contract of orders. */
export const find = Effect.fnUntraced(function* (node: Node.Node, journey: Journey) {
  const topics = encodeEventTopics({
    abi: transfers,
    eventName: "Transfer",
    args: { from: address(journey.sender), to: Dln.source }
  })
  const ask = (first: number, last: number) => ({
    method: "eth_getLogs",
    params: [{ address: journey.from.token, topics, fromBlock: hex(first), toBlock: hex(last) }]
  })
  const { finalizedNumber, head } = yield* survey(node, [])
  const made = yield* SoughtLogs.anywhere(node, ask, head, (log) => {
    const { transactionHash } = log as Record<string, unknown>
    return madeIn(node, journey, transactionOf(String(transactionHash)))
  })
  return made && { ...made, isFinal: made.blockNumber <= finalizedNumber }
})
