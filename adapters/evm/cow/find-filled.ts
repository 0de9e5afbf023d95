/**
 * Which order of a wallet was filled under an identity, when no records say so: by the settlement contract's logs, and
 * by the bytes of the transactions they are of. A sale that nobody can read may be the one that is sought.
 */
import { Effect, Option, Predicate, Schema } from "effect"
import { AddressKey, TransactionId } from "../../../core/chains/address.ts"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import type { Found, NamedOrder, Sought, SwapOrder } from "../../../core/ports/swap-venue.ts"
import * as Block from "../block.ts"
import { keyOf, transactionOf } from "../contract.ts"
import { requireFinal } from "../made-payments.ts"
import * as Node from "../node.ts"
import type { Call } from "../rpc.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { survey } from "../survey.ts"
import { type Message, settlement, uidOf } from "./order.ts"
import { orderIn } from "./settle-call.ts"
import { decoded, filled, topicOf, tradeTopic } from "./settlement-trace.ts"

const askTrades =
  (owner: string) =>
  (first: number, last: number): Call => ({
    method: "eth_getLogs",
    params: [
      {
        address: settlement,
        topics: [tradeTopic, topicOf(owner)],
        fromBlock: Block.hex(first),
        toBlock: Block.hex(last)
      }
    ]
  })

/** That an order was filled, or a part of it. */
const Trade = Schema.Struct({
  orderId: Schema.String,
  sell: AddressKey,
  txId: TransactionId,
  /** Where the transaction stands; a node forgets which block a transaction is in before it forgets the block. */
  place: Schema.Tuple([Schema.String, Schema.String]),
  blockNumber: Schema.Int
})
type Trade = typeof Trade.Type

const encodeTrade = Schema.encodeSync(Schema.toCodecJson(Trade))
const decodeTrades = Schema.decodeUnknownOption(Schema.toCodecJson(Schema.Array(Trade)))

/** The trade of the wallet that a log tells of, if it is the settlement contract's. */
const tradeIn = (log: unknown, owner: string): Trade | undefined => {
  if (!Predicate.isObject(log) || log.removed === true) return undefined
  const { address, blockHash, blockNumber, data, topics, transactionHash, transactionIndex } = log
  if (typeof address !== "string" || keyOf(address) !== settlement) return undefined
  if (!Array.isArray(topics) || typeof transactionHash !== "string") return undefined
  const [topic, holder] = topics.map((each) => String(each).toLowerCase())
  if (topic !== tradeTopic || holder !== topicOf(owner)) return undefined
  const values = decoded("traded", data)
  return (
    values && {
      orderId: String(values.at(-1)).toLowerCase(),
      sell: keyOf(String(values[0])),
      txId: transactionOf(transactionHash),
      place: [String(blockHash), String(transactionIndex)],
      blockNumber: Number(blockNumber)
    }
  )
}

const transactionsAtOnce = 50

/** The bytes that a transaction called by; undefined where a node has the log of it and not the transaction. */
const inputIn = (transaction: unknown, { txId }: Trade): string | undefined =>
  Predicate.hasProperty(transaction, "input") &&
  typeof transaction.input === "string" &&
  Predicate.hasProperty(transaction, "hash") &&
  transactionOf(String(transaction.hash)) === txId
    ? transaction.input
    : undefined

/** As an order of ours would be, if it carried the identity that is sought. */
const orderOf = ({ chainId, identity, owner }: Sought, message: Message): SwapOrder => ({
  identity,
  chainId,
  owner,
  receiver: keyOf(message.receiver),
  sell: keyOf(message.sellToken),
  sellAmount: message.sellAmount,
  buy: keyOf(message.buyToken),
  minBuyAmount: message.buyAmount,
  validTo: message.validTo
})

interface Read {
  readonly trade: Trade
  /** Undefined when nothing tells of it. */
  readonly order: NamedOrder | "another" | undefined
}

const askTransaction = ({ place }: Trade): Call => ({
  method: "eth_getTransactionByBlockHashAndIndex",
  params: [...place]
})

/**
 * The transactions of some trades, and of what one node has thrown away as the other tells it: the order that is read
 * from one makes the uid of the log, or it is none.
 */
const transactionsOf = Effect.fnUntraced(function* (
  { ask, second }: Node.Node,
  trades: ReadonlyArray<Trade>
) {
  const answers = yield* ask(trades.map(askTransaction))
  const missing = trades.filter((trade, at) => inputIn(answers[at], trade) === undefined)
  if (second === undefined || missing.length === 0) return answers
  const others = yield* Effect.orElseSucceed(second(missing.map(askTransaction)), () => [])
  return answers.map((answer, at) => {
    const place = missing.indexOf(trades[at] as Trade)
    return place === -1 ? answer : others[place]
  })
})

/** What the transactions of some trades say of their orders. */
const read = Effect.fnUntraced(function* (
  node: Node.Node,
  sought: Sought,
  trades: ReadonlyArray<Trade>
) {
  const answers = yield* transactionsOf(node, trades)
  return trades.map((trade, at): Read => {
    const { orderId } = trade
    const input = inputIn(answers[at], trade)
    const message = input === undefined ? undefined : orderIn(sought.chainId, input, orderId)
    if (message === undefined) return { trade, order: undefined }
    const order = orderOf(sought, message)
    const isSought = uidOf(order).toLowerCase() === orderId
    return { trade, order: isSought ? { ...order, orderId } : "another" }
  })
})

/** What is known of each trade: by the records where they have it, and by the chain where not. */
const readAll = Effect.fnUntraced(function* (
  node: Node.Node,
  sought: Sought,
  trades: ReadonlyArray<Trade>,
  byId: ReadonlyMap<string, NamedOrder>
) {
  const all = trades.flatMap((trade): ReadonlyArray<Read> => {
    const order = byId.get(trade.orderId)
    if (order === undefined) return []
    return [{ trade, order: order.identity === sought.identity ? order : "another" }]
  })
  const unrecorded = trades.filter(({ orderId }) => !byId.has(orderId))
  for (let at = 0; at < unrecorded.length; at += transactionsAtOnce) {
    all.push(...(yield* read(node, sought, unrecorded.slice(at, at + transactionsAtOnce))))
  }
  return all
})

/** What was read before, where the node has the same block as its last one; a chain that began anew is read anew. */
const readBefore = Effect.fnUntraced(function* (
  node: Node.Node,
  { seen }: Sought,
  finalizedNumber: number
) {
  if (seen === undefined) return undefined
  const trades = decodeTrades(seen.unrecorded)
  if (Option.isNone(trades) || seen.through.number > finalizedNumber) return undefined
  const [header] = yield* Node.headers(node, [seen.through.number])
  if (header?.block.hash !== seen.through.hash) return undefined
  return { from: seen.from, through: seen.through.number, trades: trades.value }
})

/** Lets the next look go on from the newest final block, with what no record explains until then. */
const keep = Effect.fnUntraced(function* (
  node: Node.Node,
  sought: Sought,
  read: { readonly from: number; readonly through: number; readonly trades: ReadonlyArray<Trade> }
) {
  const { from, through, trades } = read
  if (sought.keep === undefined || through <= from) return
  const [header] = yield* Node.headers(node, [through])
  if (header === undefined) return
  const unrecorded = trades.flatMap((trade) =>
    trade.blockNumber <= through ? [encodeTrade(trade)] : []
  )
  yield* sought.keep({ from, through: { number: through, hash: header.block.hash }, unrecorded })
})

const look = Effect.fnUntraced(function* (node: Node.Node, sought: Sought) {
  const { finalizedNumber, head } = yield* survey(node, [])
  if (sought.through !== undefined) yield* requireFinal(node, sought.through, finalizedNumber)
  const before = yield* readBefore(node, sought, finalizedNumber)
  const told = yield* SoughtLogs.above(node, askTrades(sought.owner), head, before)
  const trades = [
    ...(told.before === undefined ? [] : (before?.trades ?? [])),
    ...told.logs.flatMap((log) => tradeIn(log, sought.owner) ?? [])
  ]
  const recorded = yield* sought.recorded(trades.map(({ orderId }) => orderId))
  const byId = new Map(recorded.map((order) => [order.orderId, order]))
  const all = yield* readAll(node, sought, trades, byId)
  yield* keep(node, sought, {
    ...{ from: told.from, through: Math.min(finalizedNumber, head) },
    trades: trades.filter(({ orderId }) => !byId.has(orderId))
  })
  for (const { order, trade } of all) {
    if (order === undefined || order === "another") continue
    const found: Found = { ...(yield* filled(node, order, trade.txId)), order }
    return found
  }
  const unread = all.find(({ order, trade }) => order === undefined && trade.sell === sought.sell)
  const none: Found = { _tag: "none" }
  return unread === undefined
    ? none
    : ({ _tag: "undecidable", txId: unread.trade.txId } satisfies Found as Found)
})

export const find = (node: Node.Node, sought: Sought): Effect.Effect<Found, ChainUnavailable> =>
  Effect.mapError(look(node, sought), (failed) => Node.translate(node, failed))
