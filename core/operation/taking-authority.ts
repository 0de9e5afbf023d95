/**
 * The operations that take authority away. Whoever relies on such an end must know whether a promoted standby would
 * undo it: each answers with `durable`. A write that is not listed here gives, moves or tidies.
 */
import { Effect, Schema } from "effect"
import { Durability } from "../ports/durability.ts"

const names = [
  "cancel_governance_request",
  "cancel_proposal",
  "change_role",
  "decline_cosigner_invite",
  "reject_cosigner_action",
  "remove_cosigner",
  "remove_person",
  "revoke_api_key",
  "revoke_cosigner_invite",
  "revoke_recipient",
  "update_account_settings",
  "update_cosigner_rules"
] as const
export type TakingAuthority = (typeof names)[number]

export const takingAuthority: ReadonlySet<string> = new Set<TakingAuthority>(names)

/** What the answers of these have beside their own fields. */
export const durableField = {
  durable: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "true once a standby of the database has this change; false where none has it within two seconds. Until one has, promoting a standby or restoring a backup can undo it: repeat the call then."
    })
  )
}

/** Looks at where a transaction writes, as its first step, and says afterwards whether a standby has what it wrote. */
export const watch = Effect.gen(function* () {
  const { isKept, place } = yield* Durability
  let from: string | undefined
  return {
    begin: Effect.map(place, (found) => {
      from = found
    }),
    // Of an answer that is given again, what stands where it was read.
    told: Effect.gen(function* () {
      return { durable: yield* isKept(from ?? (yield* place)) }
      // The change is committed, and whoever is told of a fault would take it for undone.
    }).pipe(Effect.catchDefect(() => Effect.succeed({ durable: false })))
  }
})

const unwatched = Effect.succeed({ begin: Effect.void, told: Effect.succeed({}) })

/** The same of an operation that takes authority away; of any other nothing is said. */
export const watched = (name: string) => (takingAuthority.has(name) ? watch : unwatched)
