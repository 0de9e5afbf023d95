/**
 * Whether bytes are those of the order that they are to be signed for: the venue's own form of it, made anew. So that
 * whoever asks for a signature cannot name one order and have another one signed.
 */
import { Effect, Schema } from "effect"
import { SwapOrder, SwapVenues, venueOn } from "../ports/swap-venue.ts"
import type { Order } from "../submissions/order.ts"

const decode = Schema.decodeUnknownOption(Schema.toCodecJson(SwapOrder))

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])

/** True of what is no order; the rules of kinds judge that. */
export const isOfOrder = Effect.fnUntraced(function* (
  { act, call, chainId }: Pick<Order, "act" | "call" | "chainId">,
  bytes: Uint8Array
) {
  if (act !== "order") return true
  const order = decode(call)
  const venue = venueOn(yield* SwapVenues, chainId)
  if (order._tag === "None" || order.value.chainId !== chainId) return false
  if (venue?.execution !== "order") return false
  return isSame((yield* venue.form(order.value)).bytes, bytes)
})
