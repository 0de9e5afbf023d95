/**
 * What a kind of proposal is: its terms, its wording, what is judged before it may be proposed or done, how
 * it is done and what its end means. A kind is one value in one file; this room speaks of kinds and names none.
 */
import { Context, Effect, Schema } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { RuledAction } from "../cosigners/rules.ts"
import type { Usd } from "../money/usd.ts"
import type * as Refusal from "../operation/refusal.ts"
import type { Paying } from "../policy/spending-ledger.ts"
import type { Order } from "../submissions/order.ts"
import type { Submission } from "../submissions/submission.ts"
import type { AgreedPrices } from "../tokens/agreed-price.ts"
import type { Moment, NextStep, Step } from "../waits/next-step.ts"
import type { Proposal, Status, SubStatus } from "./proposal.ts"

/** What the caveats of API keys limit in a proposal. */
export interface Spent {
  readonly walletId: string
  /** Whom it pays; null for what goes to nobody on the allowlist, such as a spender. */
  readonly recipientId: string | null
  readonly amountMicro: Usd
  /** False for money between the account's own wallets, which no cap bounds. */
  readonly isCapped: boolean
  /** Whom the chain would know to be paid; what was charged for this very payment is counted once. */
  readonly pays?: Omit<Paying, "identity"> | undefined
}

/** Which of the co-signers' rules a proposal falls under, and with how much. */
export interface Ruled {
  readonly action: RuledAction
  readonly amountMicro: Usd
}

/** What a proposal risks, and which limit of the tier bounds it beside the hard cap. */
export interface Exposure {
  readonly amountMicro: Usd
  readonly limit: "per_transfer" | "hard_cap"
}

/** What each step of an execution means to whoever waits for it, where a kind has words of its own. */
export type Doing = Readonly<Partial<Record<SubStatus, string>>>

/** What is read of any kind, whichever it is. */
export interface AnyKind {
  readonly kind: Kind
  readonly movesMoney: boolean
  readonly governs?: true
  readonly made?: string
  readonly memo?: (terms: never) => string | null
  readonly onChainMemo?: (terms: never) => string | null
  readonly cosignedByOne?: boolean
  readonly chains?: (terms: never) => ReadonlyArray<string>
  readonly cosigned?: (terms: never) => Ruled
  readonly worthNow?: (terms: never) => Effect.Effect<Usd, never, AgreedPrices>
  readonly exposure?: (terms: never) => Exposure
  readonly next?: (terms: never, steps: ReadonlyArray<Step>, moment: Moment) => NextStep
  readonly isStoppable?: true
  readonly doing?: Doing
}

/** What a wallet is asked to sign. Nothing of it is believed before the records say the same. */
export interface SigningRequest extends Omit<Order, "validBefore"> {
  /** The address of the token that the signature would be for, as whoever signs names it. */
  readonly token: AddressKey
  /** Which part of the proposal's identity it has; null for the act that the proposal is for. */
  readonly part: string | null
}

/**
 * When a wallet's key may sign for a proposal of a kind. That the proposal is executing, was signed as it is
 * stored and is the wallet's, holds for every kind and is judged before.
 */
export interface Signing<Terms, Records, Needs> {
  /**
   * The parts of its identity, for a kind of several acts; the act that it is for has none (`identity.ts`). A kind
   * that tries something again and again says which there are after so many submissions.
   */
  readonly parts?: ReadonlyArray<string> | ((submissions: number) => ReadonlyArray<string>)
  /** Reads anew what the records say, outside of what the request claims. */
  readonly read: (
    proposal: Proposal,
    request: SigningRequest
  ) => Effect.Effect<Records, never, Needs>
  /** Why the key must not sign; undefined when it may. */
  readonly violation: (
    request: SigningRequest,
    terms: Terms,
    records: Records
  ) => string | undefined
}

/** The violation of the first of these that does not hold. */
export const firstBroken = (
  checks: ReadonlyArray<readonly [holds: boolean, violation: string]>
): string | undefined => checks.find(([holds]) => !holds)?.[1]

/** The proposal's status after `perform`. */
export interface Done {
  readonly status: Extract<Status, "completed" | "executing">
  /** What it has opened on a chain, if that is all it ever does there. */
  readonly begun?: Submission
}

const names: Array<string> = []

/** The name of a kind that is defined; read once all of them are, at the first use. */
export const Name = Schema.suspend(
  (): Schema.Codec<Kind> => Schema.Literals(names.toSorted() as Array<Kind>)
)

export interface Definition<
  Name extends string,
  Fields extends Schema.Struct.Fields,
  Checking extends Effect.Effect<void, Refusal.Refusal, unknown>,
  Performing extends Effect.Effect<Done, Refusal.Refusal, unknown>,
  Ending extends Effect.Effect<void, never, unknown> = Effect.Effect<void>,
  Spending extends Effect.Effect<Spent, never, unknown> = Effect.Effect<Spent>,
  Records = never,
  Reading = never,
  Foreseeing extends Effect.Effect<void, never, unknown> = Effect.Effect<void>
> {
  readonly kind: Name
  /** What the console calls it: an imperative, such as "Send money". */
  readonly title: string
  /** Whether a human's confirmation needs their passkey. */
  readonly movesMoney: boolean
  /** Whether a human governs by it: their passkey signs the intent, as over a movement of money. */
  readonly governs?: true
  /** Everything `check` and `perform` may refuse with; confirm_proposal refuses with these too. */
  readonly refusals: ReadonlyArray<Refusal.Class>
  readonly terms: Schema.Struct<Fields>
  /** The chains between which it moves money; it starts on none where wallets may not sign. */
  readonly chains?: (terms: Schema.Struct<Fields>["Type"]) => ReadonlyArray<string>
  /** Which rule of its co-signers it falls under, and with how much; under none when left out. */
  readonly cosigned?: (terms: Schema.Struct<Fields>["Type"]) => Ruled
  /** What of it is worth by the prices of now, where that changes; the larger of the two is held to the rules. */
  readonly worthNow?: (
    terms: Schema.Struct<Fields>["Type"]
  ) => Effect.Effect<Usd, never, AgreedPrices>
  /** Whether an agent's takes the vote of one co-signer, where there is any, whatever the rules. */
  readonly cosignedByOne?: boolean
  /** What one proposal of it risks, and which limit of the tier bounds it. */
  readonly exposure?: (terms: Schema.Struct<Fields>["Type"]) => Exposure
  /** What keys with caveats are held to; without it, no such key moves money by this kind. */
  readonly spends?: (accountId: string, terms: Schema.Struct<Fields>["Type"]) => Spending
  /** A line from the terms alone, without text of anybody else's. */
  readonly summary: (terms: Schema.Struct<Fields>["Type"]) => string
  /** What the payer wrote for the payee, if the kind has a place for it. */
  readonly memo?: (terms: Schema.Struct<Fields>["Type"]) => string | null
  /** The text that its payments carry on the chain, for all to read; null when none. */
  readonly onChainMemo?: (terms: Schema.Struct<Fields>["Type"]) => string | null
  /** Where to find what a completed proposal made, such as "list_wallets shows the wallet". */
  readonly made?: string
  /** Checked when it is proposed and again when it is performed. */
  readonly check: (accountId: string, terms: Schema.Struct<Fields>["Type"]) => Checking
  /** Asks ahead what `perform` will ask of the records, its locks first and in their order. */
  readonly ahead?: (proposal: Proposal, terms: Schema.Struct<Fields>["Type"]) => Foreseeing
  /** Does it, in the transaction that satisfied the last thing it waited for. */
  readonly perform: (proposal: Proposal, terms: Schema.Struct<Fields>["Type"]) => Performing
  /**
   * What comes next, for a kind of several steps: asked with none when it has been performed, and again each time
   * all of its steps have ended, in the transaction that ends the last. It asks nobody and decides by what it is
   * given; a kind without it opens its only submission where it is performed.
   */
  readonly next?: (
    terms: Schema.Struct<Fields>["Type"],
    steps: ReadonlyArray<Step>,
    moment: Moment
  ) => NextStep
  /** Whether it may be asked to stop while it executes: `next` and its watches then do what can be done. */
  readonly isStoppable?: true
  /** Who does each of its steps and how long that takes at most, where the common words do not say it. */
  readonly doing?: Doing
  /** When a wallet's key signs for it; a kind without this signs nothing. */
  readonly signing?: Signing<Schema.Struct<Fields>["Type"], Records, Reading>
  /** Runs in the transaction that ends an execution, completed or failed; most kinds have nothing to add. */
  readonly ended: (proposal: Proposal, isDone: boolean) => Ending
}

type Optional<Ending> = { readonly ended?: (proposal: Proposal, isDone: boolean) => Ending }

export const define = <
  const Name extends string,
  const Fields extends Schema.Struct.Fields,
  const Refusals extends ReadonlyArray<Refusal.Class>,
  Checking extends Effect.Effect<void, InstanceType<NoInfer<Refusals>[number]>, unknown>,
  Performing extends Effect.Effect<Done, InstanceType<NoInfer<Refusals>[number]>, unknown>,
  Ending extends Effect.Effect<void, never, unknown> = Effect.Effect<void>,
  Spending extends Effect.Effect<Spent, never, unknown> = Effect.Effect<Spent>,
  Records = never,
  Reading = never,
  Foreseeing extends Effect.Effect<void, never, unknown> = Effect.Effect<void>
>(
  kind: Name,
  definition: Omit<
    Definition<Name, Fields, Checking, Performing, Ending, Spending, Records, Reading, Foreseeing>,
    "kind" | "terms" | "refusals" | "ended"
  > & {
    readonly terms: Fields
    readonly refusals: Refusals
  } & Optional<Ending>
) => {
  names.push(kind)
  return {
    ...definition,
    // A kind without an ending of its own has nothing to run.
    ended:
      definition.ended ??
      ((() => Effect.void) as unknown as NonNullable<Optional<Ending>["ended"]>),
    kind,
    terms: Schema.Struct(definition.terms)
  }
}

/** Any kind of this name, for the registry that lists them all. */
export interface AnyDefinition<Name extends string = string> {
  readonly kind: Name
  readonly refusals: ReadonlyArray<Refusal.Class>
}

/**
 * Every kind there is, by name. The registry on the top floor adds its own type to this interface, so that
 * the compiler knows what each kind needs and refuses with, though no file of this room imports one.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the registry, which stands above this room.
export interface Registry {}
export type Kind = keyof Registry

export class Kinds extends Context.Service<Kinds, Registry>()("bursar/proposals/Kinds") {}

/** Whether it may do more on chains than one submission. */
export const hasSeveralSteps = (proposal: Pick<Proposal, "kind">) =>
  Effect.map(kindOf(proposal), ({ next }: AnyKind) => next !== undefined)

/** The kind of a proposal. The database takes none that the registry does not name. */
export const kindOf = Effect.fnUntraced(function* ({ kind }: Pick<Proposal, "kind">) {
  const kinds = yield* Kinds
  if (kind in kinds) return kinds[kind as Kind]
  return yield* Effect.die(new Error(`No kind of proposal is called ${kind}.`))
})
