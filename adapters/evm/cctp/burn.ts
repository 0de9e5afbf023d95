/**
 * The burn of a journey: the one call that its terms allow, and where a chain has it. A burn is known by its hook data,
 * the identity of the journey, which only the wallet itself can have burnt under.
 */
import { Effect } from "effect"
import { type Hex, zeroHash } from "viem"
import { encodeEventTopics, encodeFunctionData, pad } from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import type { Domain } from "../../../core/chains/cctp.ts"
import type { Departure, Journey } from "../../../core/ports/bridge.ts"
import type { Burn } from "../../../core/ports/cctp-ends.ts"
import { hex } from "../block.ts"
import { address, keyOf, transactionOf } from "../contract.ts"
import type * as Node from "../node.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { survey } from "../survey.ts"
import * as Contracts from "./contracts.ts"

export const bytes32 = (account: string): Hex => pad(address(account.toLowerCase()), { size: 32 })

export const hookOf = ({ identity }: Pick<Journey, "identity">): Hex => `0x${identity}`

/** Nobody but the terms says a byte of it. */
export const departureOf = (burn: Burn, from: Domain): Departure => {
  const { domain, journey, maxFeeUnits, minFinality, recipient } = burn
  const data = encodeFunctionData({
    abi: Contracts.abi,
    functionName: "depositForBurnWithHook",
    args: [
      journey.units,
      domain,
      address(recipient),
      address(journey.from.token),
      zeroHash,
      maxFeeUnits,
      minFinality,
      hookOf(journey)
    ]
  })
  const spender = keyOf(from.tokenMessenger)
  return { spender, call: { to: spender, data, value: "0" }, coinUnits: 0n }
}

interface Burnt {
  readonly txId: TransactionId
  readonly blockNumber: number
  /** Whether it is what the journey says, to the last unit. */
  readonly isSame: boolean
}

/** The burn a log tells of, when it is under the identity of the journey. */
export const burntIn = (
  log: unknown,
  { domain, journey, recipient }: Burn,
  from: Domain
): Burnt | undefined => {
  const { blockNumber, transactionHash } = log as Record<string, unknown>
  const burnt = Contracts.burnt.in(log, from.tokenMessenger)
  if (burnt === undefined || burnt.hookData.toLowerCase() !== hookOf(journey)) return undefined
  if (keyOf(burnt.depositor) !== journey.sender) return undefined
  return {
    txId: transactionOf(String(transactionHash)),
    blockNumber: Number(blockNumber),
    isSame:
      burnt.amount === journey.units &&
      burnt.destinationDomain === domain &&
      burnt.mintRecipient.toLowerCase() === recipient.toLowerCase() &&
      keyOf(burnt.burnToken) === journey.from.token
  }
}

/** Where the source has a burn of this identity, by its logs alone; undefined when it has none. */
export const find = Effect.fnUntraced(function* (node: Node.Node, burn: Burn, from: Domain) {
  const { journey } = burn
  const topics = encodeEventTopics({
    abi: [Contracts.burntEvent],
    args: { burnToken: address(journey.from.token), depositor: address(journey.sender) }
  })
  const ask = (first: number, last: number) => ({
    method: "eth_getLogs",
    params: [
      {
        address: from.tokenMessenger,
        topics,
        fromBlock: hex(first),
        toBlock: hex(last)
      }
    ]
  })
  const { finalizedNumber, head } = yield* survey(node, [])
  const burnt = yield* SoughtLogs.anywhere(node, ask, head, (log) =>
    Effect.succeed(burntIn(log, burn, from))
  )
  if (burnt === undefined) return undefined
  const { blockNumber, isSame, txId } = burnt
  return { txId, isSame, isFinal: blockNumber <= finalizedNumber }
})
