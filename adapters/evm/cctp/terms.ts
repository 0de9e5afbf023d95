/** What a burn is told beside amount and receiver: how final it must be, and the most that may be taken for that. */
import { Schema } from "effect"
import type { Journey } from "../../../core/ports/bridge.ts"

const Terms = Schema.Struct({
  maxFeeUnits: Schema.BigIntFromString,
  minFinality: Schema.Int
})
type Terms = typeof Terms.Type

const Json = Schema.toCodecJson(Terms)

export const read = ({ terms }: Pick<Journey, "terms">): Terms =>
  Schema.decodeUnknownSync(Json)(terms)

export const write = (terms: Terms): Schema.JsonObject =>
  Schema.encodeSync(Json)(terms) as Schema.JsonObject
