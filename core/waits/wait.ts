/**
 * A wait: one step of a proposal that is done outside, such as an order that is filled or a burn that is attested.
 * What is waited for is written once; a provider's word on it is a hint, and what was begun ends only by the chain.
 */
import { type DateTime, Schema } from "effect"

/** What a step of an execution does, in public. A submission is a step too. */
export const StepKind = Schema.Literals([
  "permit",
  "approve",
  "order",
  "submit",
  "fill",
  "burn",
  "attest",
  "mint",
  "fulfil",
  "cancel",
  "refund"
])
export type StepKind = typeof StepKind.Type

/** What on the chain ended a step. */
export const Evidence = Schema.Struct({
  type: Schema.Literals(["transaction", "block"]),
  id: Schema.String
})
export type Evidence = typeof Evidence.Type

/** What its watch keeps of a wait, such as an order, its signature and its uid; no other code writes it. */
export type Journal = Schema.JsonObject

const Signed = Schema.Struct({ signed: Schema.Struct({ orderId: Schema.String }) })

/** The order that was signed for a wait, by the name that its chain knows it by. */
export const signedOrderIn = ({ journal }: Pick<Wait, "journal">): string | undefined => {
  const found = Schema.decodeUnknownOption(Signed)(journal)
  return found._tag === "Some" ? found.value.signed.orderId : undefined
}

/** How a wait ended: whether what was waited for came, and what on the chain says so. */
export interface End {
  readonly isDone: boolean
  /** Null only when nothing was begun, and nothing on the chain could tell of it. */
  readonly evidence: Evidence | null
  readonly at: DateTime.Utc
}

export interface Wait {
  readonly id: string
  readonly accountId: string
  readonly proposalId: string
  /** Its place among the steps of its proposal, counted from one. */
  readonly n: number
  readonly kind: StepKind
  /** Which entry of the registry (`Watches`) looks after it. */
  readonly watch: string
  readonly chainId: string
  /** What is waited for, as the kind of the proposal decided it. */
  readonly terms: Schema.JsonObject
  readonly journal: Journal
  /** What stands in its way, or why it ended without what was waited for: a sentence. */
  readonly reason: string | null
  /** It has taken far longer than it should; the operator was told, and looking goes on. */
  readonly isStuck: boolean
  /** Whether somebody asked for it to be cancelled. Its watch does what can be done about that. */
  readonly isStopAsked: boolean
  readonly openedAt: DateTime.Utc
  /** From then on a finalized block that lacks what is waited for ends the wait, where its watch says so. */
  readonly deadline: DateTime.Utc
  readonly ended: End | null
  /** When to look at it next; null once it has ended. */
  readonly nextLookAt: DateTime.Utc | null
  /** How often it was made due from outside; a look that has not seen the last one is followed by another. */
  readonly hurries: number
  readonly updatedAt: DateTime.Utc
}

/** A wait that nothing was done for yet. */
export const newWait = (
  draft: Pick<
    Wait,
    | "id"
    | "accountId"
    | "proposalId"
    | "n"
    | "kind"
    | "watch"
    | "chainId"
    | "terms"
    | "deadline"
    | "isStopAsked"
  >,
  now: DateTime.Utc
): Wait => ({
  ...draft,
  journal: {},
  reason: null,
  isStuck: false,
  openedAt: now,
  ended: null,
  nextLookAt: now,
  hurries: 0,
  updatedAt: now
})

/** What a look writes down. What is asked from outside at any time, to stop or to hurry, is never among it. */
export const progress = [
  "journal",
  "reason",
  "isStuck",
  "ended",
  "nextLookAt",
  "updatedAt"
] as const satisfies ReadonlyArray<keyof Wait>
