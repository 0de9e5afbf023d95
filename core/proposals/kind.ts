/**
 * What a kind of proposal is: its terms, how it is told in one line, what is judged before it may be
 * proposed or done, and how it is done in the transaction that confirms it. A kind is one value in one file.
 */
import type { Effect } from "effect"
import { Schema } from "effect"
import type { RuledAction } from "../cosigners/rules.ts"
import type * as Refusal from "../operation/refusal.ts"
import type { Kind, Proposal, Status, SubStatus } from "./proposal.ts"

/** What of a proposal the caveats of keys are held against. */
export interface Spent {
  readonly walletId: string
  /** Whom it pays; null for what goes to nobody on the allowlist, such as a spender. */
  readonly recipientId: string | null
  readonly amountMicro: bigint
}

/** Where doing it leaves the proposal. */
export interface Done {
  readonly status: Extract<Status, "completed" | "executing">
  readonly subStatus?: SubStatus
}

export interface Definition<
  Name extends Kind,
  Fields extends Schema.Struct.Fields,
  Judging extends Effect.Effect<void, Refusal.Refusal, unknown>,
  Performing extends Effect.Effect<Done, Refusal.Refusal, unknown>
> {
  readonly kind: Name
  /** Whether a human's confirmation needs their passkey. */
  readonly movesMoney: boolean
  readonly terms: Schema.Struct<Fields>
  /** Which rule of its co-signers it falls under, and with how much; under none when left out. */
  readonly cosigned?: (terms: Schema.Struct<Fields>["Type"]) => {
    readonly action: RuledAction
    readonly amountMicro: bigint
  }
  /** Whether an agent's takes the vote of one co-signer, where there is any, whatever the rules. */
  readonly cosignedByOne?: boolean
  /** What keys with caveats are held to; without it, no such key moves money by this kind. */
  readonly spends?: (terms: Schema.Struct<Fields>["Type"]) => Spent
  /** A line from the terms alone, without text of anybody else's. */
  readonly summary: (terms: Schema.Struct<Fields>["Type"]) => string
  /** Judged when it is proposed and again when it is done. */
  readonly judge: (accountId: string, terms: Schema.Struct<Fields>["Type"]) => Judging
  /** Does it, in the transaction that satisfied the last thing it waited for. */
  readonly perform: (proposal: Proposal, terms: Schema.Struct<Fields>["Type"]) => Performing
}

export const define = <
  const Name extends Kind,
  const Fields extends Schema.Struct.Fields,
  Judging extends Effect.Effect<void, Refusal.Refusal, unknown>,
  Performing extends Effect.Effect<Done, Refusal.Refusal, unknown>
>(
  kind: Name,
  definition: Omit<Definition<Name, Fields, Judging, Performing>, "kind" | "terms"> & {
    readonly terms: Fields
  }
): Definition<Name, Fields, Judging, Performing> => ({
  ...definition,
  kind,
  terms: Schema.Struct(definition.terms)
})
