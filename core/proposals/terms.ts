/** The terms of a proposal as its kind reads them. */
import { Effect, Schema } from "effect"
import { kindOf } from "./kind.ts"
import type { Proposal } from "./proposal.ts"

export const termsOf = Effect.fnUntraced(function* (proposal: Proposal) {
  const { terms } = yield* kindOf(proposal)
  // The stored terms were encoded by the same schema; others are a bug.
  return yield* Effect.orDie(
    Schema.decodeUnknownEffect(Schema.toCodecJson(terms))(proposal.terms) as Effect.Effect<
      never,
      Schema.SchemaError
    >
  )
})
