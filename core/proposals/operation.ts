/**
 * The operation that proposes a kind which moves money. An operation says what it takes and how that becomes
 * the terms; who may propose, the refusals of the kind and the caveats of the caller's key are said here once.
 */
import { Effect, type Schema } from "effect"
import { AccountPaused } from "../accounts/pause.ts"
import type { Common } from "../operation/definition.ts"
import * as Operation from "../operation/operation.ts"
import * as Refusal from "../operation/refusal.ts"
import * as Ahead from "./ahead.ts"
import { mayPropose } from "./authority.ts"
import { checkKeys } from "./key-bounds.ts"
import type { Definition, Done, Kind, Spent } from "./kind.ts"
import { PolicyLimitExceeded, type Proposal, RecipientNotApproved } from "./proposal.ts"
import { propose } from "./propose.ts"
import * as View from "./view.ts"

/** What stands against the caller or its key, whatever is proposed. */
const ofCaller = [
  Refusal.InsufficientScope,
  RecipientNotApproved,
  PolicyLimitExceeded,
  AccountPaused
] as const

type Fields = Schema.Struct.Fields

/** What it may be refused with: by the caller's key, by its kind, and by finding what the input names. */
type Refused<OfKind, Own> = (typeof ofCaller)[number] | OfKind | Own
type Failure<OfKind extends Refusal.Class, Own extends Refusal.Class> =
  | InstanceType<Refused<OfKind, Own>>
  | Refusal.InvalidRequest

/** Asks the network in `prepare`, then turns the input into terms in the transaction that stores the proposal. */
export const operation = <
  const Name extends string,
  Of extends Kind,
  Terms extends Fields,
  OfKind extends Refusal.Class,
  Checking,
  Spending,
  const Input extends Fields,
  Own extends Refusal.Class,
  Seen,
  Looking,
  Resolving,
  Asking,
  Resolved extends {
    readonly terms: Schema.Struct<NoInfer<Terms>>["Type"]
    readonly recipientId?: string
  },
  Storing = never,
  Foreseeing = never
>(
  name: Name,
  kind: Pick<
    Definition<
      Of,
      Terms,
      Effect.Effect<void, InstanceType<OfKind>, Checking>,
      Effect.Effect<Done>,
      Effect.Effect<void>,
      Effect.Effect<Spent, never, Spending>
    >,
    "kind" | "terms" | "summary" | "check" | "spends" | "exposure"
  > & { readonly refusals: ReadonlyArray<OfKind> },
  definition: Pick<
    Common<Input, typeof View.proposed, ReadonlyArray<Own>>,
    "summary" | "next" | "input" | "example"
  > & {
    /** What finding and reading the input is refused with, beside what the kind is. */
    readonly refusals: ReadonlyArray<Own>
    /** Asks ahead what finding and judging the input will ask of the records, by what `prepare` saw. */
    readonly ahead?: (
      input: Schema.Struct<NoInfer<Input>>["Type"],
      seen: NoInfer<Seen> | undefined
    ) => Effect.Effect<void, never, Foreseeing>
    /** How much the input asks for; where it alone does not say, the terms are judged once they are made. */
    readonly asks: (
      input: Schema.Struct<NoInfer<Input>>["Type"]
    ) => Effect.Effect<Spent | undefined, Failure<NoInfer<OfKind>, NoInfer<Own>>, Asking>
    /** May ask the network, as no transaction may; `resolve` and `afford` are handed what was seen. */
    readonly prepare: (
      input: Schema.Struct<NoInfer<Input>>["Type"]
    ) => Effect.Effect<Seen, Failure<NoInfer<OfKind>, NoInfer<Own>>, Looking>
    /** In the transaction that has stored the proposal, with what `resolve` gave. */
    readonly stored?: (
      proposal: Proposal,
      resolved: NoInfer<Resolved>
    ) => Effect.Effect<void, Failure<NoInfer<OfKind>, NoInfer<Own>>, Storing>
    readonly resolve: (
      input: Schema.Struct<NoInfer<Input>>["Type"],
      seen: NoInfer<Seen>
    ) => Effect.Effect<Resolved, Failure<NoInfer<OfKind>, NoInfer<Own>>, Resolving>
    /** Refuses what cannot be paid. Judged last, so that whoever may not be paid at all is told so before. */
    readonly afford?: (
      seen: Seen,
      terms: Schema.Struct<NoInfer<Terms>>["Type"]
    ) => Effect.Effect<void, Failure<NoInfer<OfKind>, NoInfer<Own>>>
  }
) => {
  const { afford, ahead, asks, example, input, next, prepare, resolve, stored, summary } =
    definition
  const refusals: ReadonlyArray<Refused<OfKind, Own>> = [
    ...new Set([...ofCaller, ...kind.refusals, ...definition.refusals])
    // What every operation may refuse is listed by none.
  ].filter((each) => each !== Refusal.InvalidRequest && each !== Refusal.IdempotencyKeyReused)
  return Operation.prepared(name, {
    summary,
    next,
    scope: "proposals:write",
    sideEffect: "write",
    leadsToMoney: true,
    sinceThen: View.sinceThen,
    input,
    output: View.proposed,
    refusals,
    ...(example === undefined ? {} : { example }),
    authority: Effect.fnUntraced(function* (given, replayed, seen) {
      if (replayed === undefined && ahead !== undefined) {
        // It is what `prepare` below has given, or nothing.
        yield* Ahead.ofProposing(ahead(given, seen as Seen | undefined))
      }
      const asked = yield* asks(given)
      yield* mayPropose(asked, replayed)
      return asked
    }),
    prepare,
    handle: Effect.fnUntraced(function* (given, seen, asked) {
      const resolved = yield* resolve(given, seen)
      const { recipientId, terms } = resolved
      const options = recipientId === undefined ? {} : { recipientId }
      const proposal = yield* propose(kind, terms, options)
      if (stored !== undefined) yield* stored(proposal, resolved)
      if (asked === undefined) {
        const spent = yield* kind.spends?.(proposal.accountId, terms) ?? Effect.undefined
        yield* checkKeys(proposal, spent)
      }
      if (afford !== undefined) yield* afford(seen, terms)
      return yield* View.view(proposal)
    })
  })
}
