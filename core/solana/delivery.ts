/**
 * A message that anybody may bring to a program on Solana, which acts on it once: the relayer brings it, and no wallet
 * signs. The call names the message and who attests it, and nothing about how it is brought.
 */
import { Option, Schema } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Submission, Terms } from "../submissions/submission.ts"

const DeliveryCall = Schema.Struct({
  deliver: Schema.Struct({ message: Schema.String, attestation: Schema.String })
})
type Told = (typeof DeliveryCall.Type)["deliver"]

const decode = Schema.decodeUnknownOption(DeliveryCall)

/** As it stands in the terms of a submission. */
export const callOf = ({ attestation, message }: Told): NonNullable<Terms["call"]> => ({
  deliver: { message, attestation }
})

export const deliveryOf = (call: Terms["call"]): Told | undefined =>
  call === null ? undefined : Option.getOrUndefined(decode(call))?.deliver

/** A message with the chain that it is brought to, and the wallet that it is for. */
export interface Delivery extends Told {
  readonly chainId: string
  readonly receiver: AddressKey
}

/** What a submission brings; undefined when it does something else. */
export const deliveryIn = ({
  chainId,
  terms
}: Pick<Submission, "chainId" | "terms">): Delivery | undefined => {
  const told = terms.act === "call" ? deliveryOf(terms.call) : undefined
  return told === undefined ? undefined : { ...told, chainId, receiver: terms.to }
}
