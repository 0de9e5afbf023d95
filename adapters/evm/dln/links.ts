/**
 * Whether the contracts of limit orders at both ends still belong together: each names the other, none is paused, and
 * word is carried between the chains. An order whose word cannot come back to its source would never be given back.
 */
import { Effect } from "effect"
import { encodeAbiParameters, encodeFunctionData } from "viem/utils"
import * as Dln from "../../../core/chains/dln.ts"
import { type Between, on } from "../bridge-ways.ts"
import { address } from "../contract.ts"
import type * as Node from "../node.ts"
import { type Check, firstClosed, isNo, readOf } from "../usdc-ends.ts"
import { gateAbi, linkAbi } from "./contracts.ts"
import { gateOf } from "./way-back.ts"

type Side = "source" | "destination"

const contracts = { source: Dln.source, destination: Dln.destination } as const
const getters = {
  source: "dlnDestinationAddresses",
  destination: "dlnSourceAddresses"
} as const

/** The bytes of the one contract, as the other answers them. */
const namedAs = (contract: string): string =>
  encodeAbiParameters([{ type: "bytes" }], [address(contract.toLowerCase())])

/** The second of three words says whether the gate carries anything there or from there. */
const isCarried = (answer: unknown): boolean =>
  typeof answer === "string" &&
  answer.length >= 2 + 3 * 64 &&
  BigInt(`0x${answer.slice(66, 130)}`) === 1n

const paused = encodeFunctionData({ abi: linkAbi, functionName: "paused" })

const checksOf = (side: Side, gate: string, here: string, there: string): ReadonlyArray<Check> => {
  const other = side === "source" ? "destination" : "source"
  const args = [BigInt(Dln.numberOf(there) ?? 0)] as const
  const named = encodeFunctionData({ abi: linkAbi, functionName: getters[side], args })
  // Word of a cancellation leaves the destination and is claimed at the source.
  const functionName = side === "source" ? "getChainFromConfig" : "getChainToConfig"
  const carried = encodeFunctionData({ abi: gateAbi, functionName, args })
  return [
    [
      readOf(contracts[side], named),
      (answer) => String(answer).toLowerCase() === namedAs(contracts[other]),
      `The contract of limit orders on ${here} names another contract on ${there} than the one that is known.`
    ],
    [readOf(contracts[side], paused), isNo, `Limit orders are paused on ${here}.`],
    [readOf(gate, paused), isNo, `What carries word of orders is paused on ${here}.`],
    [
      readOf(gate, carried),
      isCarried,
      `No word of orders is carried between ${here} and ${there} now, so that none could be given back.`
    ]
  ]
}

const objectionAt = Effect.fnUntraced(function* (node: Node.Node, side: Side, there: string) {
  const gate = yield* gateOf(node, contracts[side])
  return yield* firstClosed(node, checksOf(side, gate, node.connection.chain.id, there))
})

/** Why an order between the two chains might not be filled, or not come back; undefined where nothing is said against it. */
export const unlinked = Effect.fnUntraced(function* ({ destination, source }: Between) {
  const [from, to] = [source.connection.chain.id, destination.connection.chain.id]
  return (
    (yield* on(source, objectionAt(source, "source", to))) ??
    (yield* on(destination, objectionAt(destination, "destination", from)))
  )
})
