/** Whether a call brings a burn to its receiver: anybody may make it, and our wallets make no other on this contract. */
import { slice } from "viem/utils"
import type { Journey } from "../../../core/ports/bridge.ts"
import { address } from "../contract.ts"
import * as Message from "./message.ts"

/** Whether a message brings what the journey says to whom it says, by the messenger of the destination. */
export const isDelivery = (
  { identity, units }: Pick<Journey, "identity" | "units">,
  told: string | undefined,
  { messenger, recipient }: { readonly messenger: string; readonly recipient: string }
): boolean => {
  if (told === undefined) return false
  const message = address(told)
  if (Message.hookOf(message) === undefined) return false
  return (
    Message.hookOf(message)?.toLowerCase() === `0x${identity}` &&
    Message.receiverOf(message).toLowerCase() === recipient.toLowerCase() &&
    slice(message, 76, 108).toLowerCase() === messenger.toLowerCase() &&
    Message.amountOf(message) === units
  )
}
