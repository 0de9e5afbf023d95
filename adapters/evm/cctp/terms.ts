/**
 * What a burn is told beside amount and receiver: how final it must be before it is attested, and the most that may
 * be taken for that, which is all that the least which arrives leaves.
 */
import { Option, Schema } from "effect"
import type { Journey } from "../../../core/ports/bridge.ts"

const Terms = Schema.Struct({ minFinality: Schema.Int })
type Terms = typeof Terms.Type

const decode = Schema.decodeUnknownOption(Terms)

/** Of a journey that was opened. */
export const read = ({ terms }: Pick<Journey, "terms">): Terms =>
  Schema.decodeUnknownSync(Terms)(terms)

/** Nought where nothing was opened yet: what is looked for on a chain does not depend on it. */
export const minFinalityOf = ({ terms }: Pick<Journey, "terms">): number =>
  Option.getOrUndefined(decode(terms))?.minFinality ?? 0

export const maxFeeOf = ({ minBuyUnits, units }: Pick<Journey, "minBuyUnits" | "units">): bigint =>
  units - minBuyUnits

export const write = ({ minFinality }: Terms): Schema.JsonObject => ({ minFinality })
