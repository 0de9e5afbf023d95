/**
 * The burn of a journey: the one call that its terms allow, and how a log tells of it. A burn is known by its hook data,
 * the identity of the journey, which only the wallet itself can have burnt under.
 */
import { type Hex, zeroHash } from "viem"
import { encodeFunctionData, pad } from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import type { Domain } from "../../../core/chains/cctp.ts"
import type { Departure, Journey } from "../../../core/ports/bridge.ts"
import type { Burn } from "../../../core/ports/cctp-ends.ts"
import { address, keyOf, transactionOf } from "../contract.ts"
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
