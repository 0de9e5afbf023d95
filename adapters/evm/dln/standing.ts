/**
 * How an order stands, by the contracts on both sides alone: it was made, filled, or cancelled and given back. What
 * the service says of it is never asked.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import { encodeFunctionData } from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import * as Dln from "../../../core/chains/dln.ts"
import {
  BridgeContradicted,
  type Journey,
  type Refund,
  type Standing
} from "../../../core/ports/bridge.ts"
import { amount, hex } from "../block.ts"
import type { Between } from "../bridge-ways.ts"
import { transactionOf } from "../contract.ts"
import * as Log from "../log.ts"
import * as Node from "../node.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { blockOf, inconsistent, survey } from "../survey.ts"
import { abi, cancelled, claimed, filled, states } from "./contracts.ts"
import { madeIn } from "./made.ts"

/** An event about an order. */
interface AboutOrder {
  readonly topic: Hex
  readonly in: (log: unknown, contract: string) => { readonly orderId: Hex } | undefined
}

/** Whether a log is the event of a contract about this order. */
const isAbout = (log: unknown, contract: string, event: AboutOrder, orderId: Hex): boolean =>
  event.in(log, contract)?.orderId.toLowerCase() === orderId

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

/** The transaction in which a contract told of the order, and its block. */
const eventOf = Effect.fnUntraced(function* (
  node: Node.Node,
  contract: string,
  events: ReadonlyArray<AboutOrder>,
  orderId: Hex,
  since: number
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
  const first = yield* SoughtLogs.lastBefore(node, head, since - clocksDifferSeconds)
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

type Told = Effect.Success<ReturnType<typeof eventOf>>

/** By how much somebody's balance of a token grew in a transaction. */
const gained = ({ block, receipt }: Told, token: string, holder: string): bigint =>
  receipt.logs
    .flatMap((log) => Log.decode(log, token, block) ?? [])
    .reduce(
      (sum, { amountMicro, from, to }) =>
        sum + (to === holder ? amountMicro : 0n) - (from === holder ? amountMicro : 0n),
      0n
    )

/**
 * How much of what a transaction moved is this order's: all of it, unless it ended others too. Then what the contract
 * itself says of the order counts.
 */
const unitsOf = (
  told: Told,
  contract: string,
  event: AboutOrder,
  { gained, said }: { readonly gained: bigint; readonly said: bigint }
): bigint => {
  const ended = told.receipt.logs.filter((log) => event.in(log, contract) !== undefined)
  return ended.length < 2 ? gained : said
}

const untouched = 0
const anotherOrder = "The order that stands at the source is another one than was signed."

export const standingOf = Effect.fnUntraced(function* (
  { destination, source }: Between,
  journey: Journey,
  departed: TransactionId
) {
  const made = yield* madeIn(source, journey, departed)
  if (made === undefined) return { _tag: "absent" } satisfies Standing as Standing
  if (!made.isSame) return yield* new BridgeContradicted({ detail: anotherOrder })
  const { atSeconds, orderId } = made
  if ((yield* stateOf(destination, "takeOrders", orderId)) === untouched) {
    return { _tag: "travelling", reason: null } satisfies Standing
  }
  const end = yield* eventOf(destination, Dln.destination, [filled, cancelled], orderId, atSeconds)
  const { isFinal, receipt } = end
  if (!receipt.logs.some((log) => isAbout(log, Dln.destination, filled, orderId))) {
    return { _tag: "cancelled", txId: receipt.txHash, isFinal } satisfies Standing
  }
  const came = gained(end, journey.to.token, journey.receiver)
  return {
    _tag: "delivered",
    txId: receipt.txHash,
    // A fill gives exactly what was asked for.
    units: unitsOf(end, Dln.destination, filled, { gained: came, said: made.order.takeAmount }),
    isFinal
  } satisfies Standing
})

/** How far it has come on its way back; the order itself while it may still be filled. */
export const wayBackOf = Effect.fnUntraced(function* (
  way: Between,
  journey: Journey,
  departed: TransactionId
) {
  const { destination, source } = way
  const made = yield* madeIn(source, journey, departed)
  if (made === undefined) return yield* inconsistent(source, "the chain no longer has the order")
  if (!made.isSame) return yield* new BridgeContradicted({ detail: anotherOrder })
  const { atSeconds, order, orderId } = made
  if ((yield* stateOf(destination, "takeOrders", orderId)) === untouched) {
    return { _tag: "open", order, orderId } as const
  }
  const standing = yield* standingOf(way, journey, departed)
  if (standing._tag === "delivered") return { _tag: "delivered" } satisfies Refund
  const isBack = (yield* stateOf(source, "giveOrders", orderId)) === claimedState
  if (!isBack) return { _tag: "returning" } satisfies Refund
  const back = yield* eventOf(source, Dln.source, [claimed], orderId, atSeconds)
  const came = gained(back, journey.from.token, journey.sender)
  return {
    _tag: "returned",
    txId: back.receipt.txHash,
    // What is cancelled comes back whole, its fee with it.
    units: unitsOf(back, Dln.source, claimed, { gained: came, said: journey.units }),
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
