/**
 * What taking an order back costs. The destination's gate to other chains asks a fixed fee and a share; beside them
 * whoever brings word of the cancellation to the source is paid, since that is what gives the money back.
 */
import { Effect } from "effect"
import { encodeFunctionData } from "viem/utils"
import * as Dln from "../../../core/chains/dln.ts"
import type { Journey } from "../../../core/ports/bridge.ts"
import { amount } from "../block.ts"
import type { Between } from "../bridge-ways.ts"
import * as Gas from "../gas.ts"
import * as Network from "../network.ts"
import type * as Node from "../node.ts"
import { inconsistent } from "../survey.ts"
import { gateAbi } from "./contracts.ts"
import { cancellationOf, type Order } from "./order.ts"

export interface GateFees {
  readonly fixedWei: bigint
  /** Of all that is sent along, in basis points. */
  readonly shareBps: bigint
}

const inFull = 10_000n
const word = (answer: unknown, at: number): bigint | undefined => {
  const start = 2 + at * 64
  return typeof answer === "string" && answer.length >= start + 64
    ? amount(`0x${answer.slice(start, start + 64)}`)
    : undefined
}

const reading = (to: string, data: string, mayRevert = false) => ({
  method: "eth_call",
  params: [{ to, data }, "latest"],
  mayRevert
})

/** What carries word to other chains, as a contract of orders names it. */
export const gateOf = Effect.fnUntraced(function* (node: Node.Node, contract: string) {
  const data = encodeFunctionData({ abi: gateAbi, functionName: "deBridgeGate" })
  const [answer] = yield* node.ask([reading(contract, data)])
  if (typeof answer === "string" && answer.length === 66) return `0x${answer.slice(26)}`
  return yield* inconsistent(node, "the chain has no limit orders")
})

const isSet = (value: bigint | undefined): value is bigint => value !== undefined && value > 0n

/** What the gate of a destination asks for word to a source; a chain without fees of its own has those of all. */
export const gateFees = Effect.fnUntraced(function* (node: Node.Node, toChainId: string) {
  const gate = yield* gateOf(node, Dln.destination)
  const encoded = (functionName: "globalFixedNativeFee" | "globalTransferFeeBps") =>
    encodeFunctionData({ abi: gateAbi, functionName })
  const own = encodeFunctionData({
    abi: gateAbi,
    functionName: "getChainToConfig",
    args: [BigInt(Dln.numberOf(toChainId) ?? 0)]
  })
  const [fixed, share, config] = yield* node.ask([
    reading(gate, encoded("globalFixedNativeFee")),
    reading(gate, encoded("globalTransferFeeBps")),
    reading(gate, own, true)
  ])
  const [ownFixed, ownShare] = [word(config, 0), word(config, 2)]
  const fixedWei = isSet(ownFixed) ? ownFixed : word(fixed, 0)
  const shareBps = isSet(ownShare) ? ownShare : word(share, 0)
  if (fixedWei === undefined || shareBps === undefined || shareBps >= inFull) {
    return yield* inconsistent(node, "the gate does not tell its fees")
  }
  return { fixedWei, shareBps } satisfies GateFees as GateFees
})

/** What has to be sent along so that so much of it is left for whoever brings the word. */
export const valueFor = ({ fixedWei, shareBps }: GateFees, rewardWei: bigint): bigint =>
  ((fixedWei + rewardWei) * inFull + inFull - shareBps - 1n) / (inFull - shareBps)

/** What is paid to whoever brings the word: what was approved for it, or what the rest of all that was approved leaves. */
const rewardWithin = (fees: GateFees, maxWei: bigint, wantedWei: bigint): bigint | undefined => {
  const left = (maxWei * (inFull - fees.shareBps)) / inFull - fees.fixedWei
  if (left < 0n) return undefined
  return left < wantedWei ? left : wantedWei
}

/** Bringing word to the source takes some 300,000 gas and 1,500 bytes; this is what it may take. */
const claimGas = 400_000n
const claimBytes = 2_000

/** What bringing word of a cancellation to a source costs there as things stand. */
export const claimCost = Effect.fnUntraced(function* (source: Node.Node) {
  const [answer] = yield* source.ask([{ method: "eth_gasPrice", params: [] }])
  const gasPrice = amount(answer)
  if (gasPrice === undefined) return yield* inconsistent(source, "the node tells no price of gas")
  return claimGas * gasPrice + (yield* Gas.dataFee(source, claimBytes))
})

const noCoin = { leaving: 0n, cancelling: 0n, claiming: 0n }

const tooDear =
  "Taking the order back costs more of the chain's coin than was approved; it is tried again."

/** The call that takes an order back, within what was approved; a sentence where that does not do. */
export const cancellationWithin = Effect.fnUntraced(function* (
  { destination, source }: Between,
  order: Order,
  journey: Journey
) {
  const fees = yield* gateFees(destination, source.connection.chain.id)
  const { cancelling, claiming } = journey.coin ?? noCoin
  const reward = rewardWithin(fees, cancelling + claiming, claiming)
  if (reward === undefined) return { reason: tooDear }
  const coinUnits = valueFor(fees, reward)
  return { call: cancellationOf(order, journey, coinUnits, reward), coinUnits }
})

const noWayBack = "An order could not be taken back at its destination now, so none is made."

const muchWei = `0x1${"0".repeat(24)}`

/** Why an order could not be taken back, tried before it is made; the contract asks for no order at the source. */
export const violationOf = Effect.fnUntraced(function* (
  way: Between,
  order: Order,
  journey: Journey
) {
  const found = yield* cancellationWithin(way, order, journey)
  if (found.call === undefined) return found.reason
  const { data, to, value } = found.call
  const { receiver } = journey
  const call = { from: receiver, to, data, value: `0x${BigInt(value).toString(16)}` }
  const params = [call, "latest", { [receiver]: { balance: muchWei } }]
  return yield* way.destination.ask([{ method: "eth_call", params }]).pipe(
    Effect.as(undefined),
    Effect.catchTag("RpcFailed", (failed) =>
      Network.refusal(failed) === undefined ? Effect.fail(failed) : Effect.succeed(noWayBack)
    )
  )
})
