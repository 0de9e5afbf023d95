/** What the watch of an order keeps: the order as it was decided, as it was signed, and what filled it. Nothing else writes it. */
import { Schema } from "effect"
import * as Venue from "../ports/swap-venue.ts"
import type { Wait } from "../waits/wait.ts"

const Journal = Schema.Struct({
  order: Schema.optionalKey(Venue.SwapOrder),
  signed: Schema.optionalKey(Venue.SignedOrder),
  quotedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** Its cancellation on the chain was begun. */
  isCancelled: Schema.optionalKey(Schema.Boolean),
  /** What filled it was signed by records that are lost. */
  isFound: Schema.optionalKey(Schema.Boolean),
  filled: Schema.optionalKey(
    Schema.Struct({
      soldAmount: Schema.String,
      boughtAmount: Schema.String,
      /** What the contract took beside, in the sold token. */
      feeAmount: Schema.optionalKey(Schema.String)
    })
  )
})
export type Journal = typeof Journal.Type

const Json = Schema.toCodecJson(Journal)

export const written = (journal: Journal) => Schema.encodeSync(Json)(journal) as Schema.JsonObject

export const journalIn = ({ journal }: Pick<Wait, "journal">): Journal =>
  Schema.decodeUnknownSync(Json)(journal)

export const filledBy = ({ boughtAmount, fees, soldAmount }: Venue.Fill) => ({
  soldAmount: String(soldAmount),
  boughtAmount: String(boughtAmount),
  feeAmount: String(fees.reduce((sum, { amount }) => sum + amount.units, 0n))
})
