/** What an order is told beside amounts and receiver: the protocol's fees of the moment it was quoted in. */
import { Schema } from "effect"
import type { Journey } from "../../../core/ports/bridge.ts"

const Terms = Schema.Struct({
  /** Of what is given, in basis points. */
  feeBps: Schema.Int,
  /** In wei, paid with the order and given back with a cancelled one. */
  nativeFee: Schema.BigIntFromString
})
type Terms = typeof Terms.Type

const Json = Schema.toCodecJson(Terms)

export const read = ({ terms }: Pick<Journey, "terms">): Terms =>
  Schema.decodeUnknownSync(Json)(terms)

/** Undefined where nothing was quoted yet, so that there is no order either. */
export const find = ({ terms }: Pick<Journey, "terms">): Terms | undefined => {
  const found = Schema.decodeUnknownOption(Json)(terms)
  return found._tag === "Some" ? found.value : undefined
}

export const write = (terms: Terms): Schema.JsonObject =>
  Schema.encodeSync(Json)(terms) as Schema.JsonObject
