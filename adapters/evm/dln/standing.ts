/**
 * How an order stands, by the contracts on both sides alone: it was made, filled, or cancelled and given back. What
 * the service says of it is never asked.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import { decodeEventLog, encodeFunctionData, toEventSelector } from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import * as Dln from "../../../core/chains/dln.ts"
import type { Journey, Refund, Standing } from "../../../core/ports/bridge.ts"
import { amount, hex } from "../block.ts"
import { address, keyOf, transactionOf } from "../contract.ts"
import * as Log from "../log.ts"
import * as Node from "../node.ts"
import type { Receipt } from "../receipt.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { blockOf, finalBlock, inconsistent, seconds, survey } from "../survey.ts"
import { abi, states } from "./contracts.ts"
import { idOf, orderOf } from "./order.ts"

export interface Way {
  readonly source: Node.Node
  readonly destination: Node.Node
}

type Event = "CreatedOrder" | "FulfilledOrder" | "SentOrderCancel" | "ClaimedOrderCancel"

const [created, filled, cancelled, claimed] = (
  ["CreatedOrder", "FulfilledOrder", "SentOrderCancel", "ClaimedOrderCancel"] as const
).map((name) => {
  const event = abi.find((entry) => entry.type === "event" && entry.name === name)
  if (event?.type !== "event") throw new Error(`There is no event ${name}.`)
  return { name, topic: toEventSelector(event) }
}) as [Named, Named, Named, Named]

interface Named {
  readonly name: Event
  readonly topic: Hex
}

/** Whether a log is the event of a contract about this order. */
const isAbout = (log: unknown, contract: string, event: Named, orderId: Hex): boolean => {
  const { address: at, data, removed, topics } = log as Record<string, unknown>
  if (removed === true || keyOf(String(at)) !== keyOf(contract) || !Array.isArray(topics))
    return false
  if (topics[0] !== event.topic) return false
  try {
    const { args } = decodeEventLog({
      abi,
      eventName: event.name,
      data: address(String(data)),
      topics: topics as [Hex, ...Array<Hex>]
    })
    return (args as { readonly orderId: Hex }).orderId.toLowerCase() === orderId
  } catch {
    return false
  }
}

/** How one side has the order: nought when it knows nothing of it. */
const stateOf = Effect.fnUntraced(function* (
  node: Node.Node,
  side: "giveOrders" | "takeOrders",
  orderId: Hex
) {
  const to = side === "giveOrders" ? Dln.source : Dln.destination
  const data = encodeFunctionData({ abi: states, functionName: side, args: [orderId] })
  const [answer] = yield* node.ask([{ method: "eth_call", params: [{ to, data }, "latest"] }])
  const state = typeof answer === "string" ? amount(answer.slice(0, 66)) : undefined
  if (state !== undefined) return Number(state)
  return yield* inconsistent(node, "the contract does not tell how an order stands")
})

const clocksDifferSeconds = 3_600
/** What is looked for without a hint is taken to be no older. */
const monthSeconds = 30 * 24 * 3_600

/** The transaction in which a contract told of the order, and its block. */
const told = Effect.fnUntraced(function* (
  node: Node.Node,
  contract: string,
  events: ReadonlyArray<Named>,
  orderId: Hex,
  since?: number
) {
  const { finalizedNumber, head } = yield* survey(node, [])
  const ask = (first: number, last: number) => ({
    method: "eth_getLogs",
    params: [
      {
        address: contract,
        topics: [events.map(({ topic }) => topic)],
        fromBlock: hex(first),
        toBlock: hex(last)
      }
    ]
  })
  const newest = seconds((yield* finalBlock(node, head)).timestamp)
  const from = since === undefined ? newest - monthSeconds : since - clocksDifferSeconds
  const first = yield* SoughtLogs.lastBefore(node, head, from)
  const log = yield* SoughtLogs.first(node, ask, { first, last: head }, (each) =>
    Effect.succeed(
      events.some((event) => isAbout(each, contract, event, orderId)) ? each : undefined
    )
  )
  if (log === undefined) return yield* inconsistent(node, "no log tells of an order that has ended")
  const txHash = transactionOf(String((log as Record<string, unknown>).transactionHash))
  const [receipt] = (yield* survey(node, [txHash])).receipts
  if (receipt === undefined) return yield* inconsistent(node, `there is no receipt of ${txHash}`)
  const block = yield* blockOf(node, receipt)
  return { receipt, block, isFinal: block.number <= finalizedNumber }
})

type Told = Effect.Success<ReturnType<typeof told>>

/** By how much somebody's balance of a token grew in a transaction. */
const gained = ({ block, receipt }: Told, token: string, holder: string): bigint =>
  receipt.logs
    .flatMap((log) => Log.decode(log, token, block) ?? [])
    .reduce(
      (sum, { amountMicro, from, to }) =>
        sum + (to === holder ? amountMicro : 0n) - (from === holder ? amountMicro : 0n),
      0n
    )

/** The order's own transaction, when the source has it. */
const madeIn = Effect.fnUntraced(function* (
  node: Node.Node,
  orderId: Hex,
  departed: TransactionId
) {
  const { receipts } = yield* survey(node, [departed])
  const receipt: Receipt | undefined = receipts.find(
    ({ isSuccess, logs }) =>
      isSuccess && logs.some((log) => isAbout(log, Dln.source, created, orderId))
  )
  if (receipt === undefined) return undefined
  return seconds((yield* blockOf(node, receipt)).timestamp)
})

/** Where the source has the order of a journey, whoever knows of it; undefined when it has none. */
export const find = Effect.fnUntraced(function* ({ source }: Way, journey: Journey) {
  const orderId = idOf(orderOf(journey))
  if ((yield* stateOf(source, "giveOrders", orderId)) === 0) return undefined
  const made = yield* told(source, Dln.source, [created], orderId)
  return { txId: made.receipt.txHash, isFinal: made.isFinal }
})

const untouched = 0

export const standingOf = Effect.fnUntraced(function* (
  { destination, source }: Way,
  journey: Journey,
  departed: TransactionId
) {
  const orderId = idOf(orderOf(journey))
  const since = yield* madeIn(source, orderId, departed)
  if (since === undefined) return { _tag: "absent" } satisfies Standing as Standing
  if ((yield* stateOf(destination, "takeOrders", orderId)) === untouched) {
    return { _tag: "travelling", reason: null } satisfies Standing
  }
  const end = yield* told(destination, Dln.destination, [filled, cancelled], orderId, since)
  if (!end.receipt.logs.some((log) => isAbout(log, Dln.destination, filled, orderId))) {
    return { _tag: "travelling", reason: "The order was cancelled." } satisfies Standing
  }
  return {
    _tag: "delivered",
    txId: end.receipt.txHash,
    units: gained(end, journey.to.token, journey.receiver),
    isFinal: end.isFinal
  } satisfies Standing
})

/** How far it has come on its way back; undefined while it may still be filled. */
export const wayBackOf = Effect.fnUntraced(function* (
  { destination, source }: Way,
  journey: Journey,
  departed: TransactionId
) {
  const orderId = idOf(orderOf(journey))
  const since = yield* madeIn(source, orderId, departed)
  if (since === undefined) return undefined
  if ((yield* stateOf(destination, "takeOrders", orderId)) === untouched) return undefined
  const standing = yield* standingOf({ destination, source }, journey, departed)
  if (standing._tag === "delivered") return { _tag: "delivered" } satisfies Refund as Refund
  const isBack = (yield* stateOf(source, "giveOrders", orderId)) === claimedState
  if (!isBack) return { _tag: "returning" } satisfies Refund
  const back = yield* told(source, Dln.source, [claimed], orderId, since)
  return {
    _tag: "returned",
    txId: back.receipt.txHash,
    units: gained(back, journey.from.token, journey.sender),
    isFinal: back.isFinal
  } satisfies Refund
})

/** What the source calls an order that was given back. */
const claimedState = 3

/** A number that the source's contract tells. */
export const readSource = Effect.fnUntraced(function* (
  node: Node.Node,
  functionName: "globalFixedNativeFee" | "globalTransferFeeBps"
) {
  const data = encodeFunctionData({ abi, functionName })
  const to = Dln.source
  const [answer] = yield* node.ask([{ method: "eth_call", params: [{ to, data }, "latest"] }])
  const value = amount(answer)
  if (value !== undefined) return value
  return yield* Node.unavailable(node, "inconsistent", "the chain has no limit orders")
})
