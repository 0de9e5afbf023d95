/** Does what a proposal says, in the transaction that satisfied the last thing it waited for. */
import { DateTime, Effect, Schema } from "effect"
import { requireRunning } from "../accounts/pause.ts"
import { reserveForKeys } from "./key-bounds.ts"
import { kindOf, type Registry, type Spent } from "./kind.ts"
import { move } from "./move.ts"
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

/** What all kinds together ask of their surroundings to say what they spend. */
type SpendingNeeds = {
  readonly [Name in keyof Registry]: Registry[Name] extends {
    readonly spends?: (accountId: string, terms: never) => Effect.Effect<Spent, never, infer Needs>
  }
    ? Needs
    : never
}[keyof Registry]

interface Spends {
  readonly spends?: (accountId: string, terms: never) => Effect.Effect<Spent, never, SpendingNeeds>
}

/** What the caveats of keys are held against; undefined when its kind says nothing of it. */
export const spentBy = Effect.fnUntraced(function* (proposal: Proposal) {
  const { spends }: Spends = yield* kindOf(proposal)
  return spends === undefined
    ? undefined
    : yield* spends(proposal.accountId, yield* termsOf(proposal))
})

/** Does it, as its kind says, in the running transaction. */
export const execute = Effect.fnUntraced(function* (proposal: Proposal, actor: string) {
  const kind = yield* kindOf(proposal)
  if (kind.movesMoney) yield* requireRunning(proposal.accountId)
  const confirmedAt = proposal.confirmedAt ?? (yield* DateTime.now)
  const done = yield* kind.perform(proposal, yield* termsOf(proposal))
  // After the kind's own locks, so that all take the account's last.
  if (kind.movesMoney) yield* reserveForKeys(proposal, yield* spentBy(proposal))
  return yield* move(proposal, { ...done, confirmedAt }, actor)
})
