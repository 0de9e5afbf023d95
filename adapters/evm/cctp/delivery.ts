/** Whether a call brings a burn to its receiver: anybody may make it, and our wallets make no other on this contract. */
import type { Schema } from "effect"
import type { Hex } from "viem"
import { decodeFunctionData, pad, slice } from "viem/utils"
import type { Journey } from "../../../core/ports/bridge.ts"
import { address, keyOf } from "../contract.ts"
import type { Ends } from "./burn.ts"
import { abi } from "./contracts.ts"
import * as Message from "./message.ts"

const messageIn = (data: Hex): Hex | undefined => {
  try {
    const { args, functionName } = decodeFunctionData({ abi, data })
    return functionName === "receiveMessage" ? args[0] : undefined
  } catch {
    return undefined
  }
}

const bytes32 = (account: string): Hex => pad(address(account.toLowerCase()), { size: 32 })

export const isDelivery = (
  { identity, receiver, units }: Journey,
  { to }: Ends,
  call: Schema.JsonObject
): boolean => {
  const message = messageIn(address(String(call.data)))
  if (message === undefined || Message.hookOf(message) === undefined) return false
  return (
    keyOf(String(call.to)) === keyOf(to.messageTransmitter) &&
    call.value === "0" &&
    Message.hookOf(message)?.toLowerCase() === `0x${identity}` &&
    Message.receiverOf(message).toLowerCase() === bytes32(receiver) &&
    slice(message, 76, 108).toLowerCase() === bytes32(to.tokenMessenger) &&
    Message.amountOf(message) === units
  )
}
