/**
 * What a family of chains provides: it takes one submission one step on, in a journal that no other code reads.
 * Fees, nonces, block hashes and lifetimes are the family's; the machine only writes down what it is given. A step
 * may be repeated by anybody at any time: what was signed or submitted before is found in the journal or on the
 * chain, and the chain lets it happen once.
 */
import { Context, type DateTime, Effect, Semaphore } from "effect"
import { type AddressKey, familyOf, type TransactionId } from "../chains/address.ts"
import type { TokenAmount } from "../chains/token-amount.ts"
import type { UpstreamUnavailable } from "../operation/refusal.ts"
import type { OutlayLimitExceeded } from "../policy/outlay.ts"
import type { Block, ChainUnavailable } from "../ports/chains.ts"
import type { Submission, Terms } from "./submission.ts"
import type { Claimed } from "./submission-store.ts"

/** What a step comes to. `at` is written down before anything else happens. */
export interface Step {
  readonly at: Submission
  /**
   * After that: another step, a place in the order of the family, handing over what was written down, nothing
   * until the next look, or nothing for ever, which only an end may say.
   */
  readonly next: "step" | "place" | "submit" | "wait" | "close"
  /** How long to wait; as long as the chain is usually left alone, when it is not said. */
  readonly waitMs?: number
}

/**
 * Steps for the submissions of one chain that are due together; what they share is asked once. Steps of several
 * run side by side, and the machine writes down together what they come to.
 */
export interface Batch<R> {
  /** Signs, makes a transaction, looks at the chain or tidies up behind an end, by its status. */
  readonly step: (claimed: Claimed) => Effect.Effect<Step, ChainUnavailable, R>
  /**
   * Takes for each what they take one after the other, such as the relayer's next nonces, in the transaction that
   * writes it down. It asks no network. A family without an order of its own leaves it out, and never says `place`.
   */
  readonly place?: (claimed: ReadonlyArray<Claimed>) => Effect.Effect<ReadonlyArray<Step>, never, R>
  /** Hands what is written down to the network. A reply proves nothing; the next look at the chain does. */
  readonly submit: (submission: Submission) => Effect.Effect<Step, never, R>
}

/**
 * What the steps of a batch share: asked by whoever needs it first, while the others wait for that answer. A
 * failure is nobody's answer but its asker's; the next one asks again.
 */
export const askedOnce = Effect.fnUntraced(function* <A, E, R>(asking: Effect.Effect<A, E, R>) {
  const gate = yield* Semaphore.make(1)
  let known: { readonly answer: A } | undefined
  const ask = Effect.suspend(() =>
    known === undefined
      ? Effect.tap(asking, (answer) =>
          Effect.sync(() => {
            known = { answer }
          })
        )
      : Effect.succeed(known.answer)
  )
  return gate.withPermit(ask)
})

/** What a transfer is known by on its chain. */
export interface KnownPayment {
  readonly chainId: string
  readonly from: AddressKey
  /** 32 bytes in hex (`identity.ts`). */
  readonly identity: string
}

/** A payment that nobody has proposed yet. */
export type MeantPayment = Pick<KnownPayment, "chainId" | "from"> & Pick<Terms, "to" | "amount">

/** A transaction that used up the identity of a payment. */
export interface FoundPayment {
  readonly txId: TransactionId
  readonly isFinal: boolean
  /** Null when it was used up without paying anybody. */
  readonly paid: { readonly to: AddressKey; readonly amount: TokenAmount } | null
  /** Whether it was burnt for a wallet on another chain: `to` is then the program that burns. */
  readonly isBurn?: true
  /** What whoever was paid got for it, when it was no transfer but a swap. */
  readonly bought?: TokenAmount
  /** What the network took for it, in the smallest unit of the chain's coin, where the family tells. */
  readonly networkFee?: bigint
}

/** A payment that a wallet of ours has made, as final blocks tell it. */
export interface MadePayment extends Omit<FoundPayment, "isFinal"> {
  readonly from: AddressKey
  /** When its block was made. */
  readonly at: DateTime.Utc
  /** As much of the payment's identity as the chain keeps, from its beginning: hex. */
  readonly identity: string
  /** What whoever carried it paid and lent for it, in the smallest unit of the chain's coin, where a node tells. */
  readonly laidOut?: bigint
}

/** A block that whoever is asked must have as a final one, so that nothing until then is missing. */
export type Through = Pick<Block, "number" | "hash">

/** How much of the past whoever is asked must know, so that nothing that counts is missing. */
export interface Reach {
  readonly through?: Through
  /** It must have kept what happened since. */
  readonly keptSince: DateTime.Utc
  /** What was paid before may be left out. */
  readonly paidSince?: DateTime.Utc
}

export interface Submitter<R> {
  /** Everything that wallets have paid or used up by an identity, whoever remembers it; oldest first of each wallet. */
  readonly madeBy: (
    chainId: string,
    wallets: ReadonlyArray<AddressKey>,
    reach?: Reach
  ) => Effect.Effect<ReadonlyArray<MadePayment>, ChainUnavailable, R>
  /**
   * Keeps what the chain tells of the transactions of wallets that the records forgot, where nodes forget them too. What
   * nobody tells of is logged, and keeps no other wallet waiting. A family without such transactions leaves it out.
   */
  readonly learnForgotten?: (
    chainId: string,
    wallets: ReadonlyArray<AddressKey>
  ) => Effect.Effect<void, ChainUnavailable, R>
  /** Why a payment would fail whatever its wallet holds, as far as can be told before it is proposed. */
  readonly violation?: (
    payment: MeantPayment
  ) => Effect.Effect<string | undefined, ChainUnavailable, R>
  readonly batch: (chainId: string) => Effect.Effect<Batch<R>>
  /**
   * Refuses while it is known that nothing can be submitted, or not with so much of the chain's coin given beside the
   * fees; a chain that does not answer is no reason.
   */
  readonly ready: (
    chainId: string,
    accountId: string | null,
    coinUnits: bigint
  ) => Effect.Effect<void, UpstreamUnavailable | OutlayLimitExceeded, R>
  /** Looks for a payment by its identity alone; undefined when the chain has none, and it may be signed. */
  readonly findPayment: (
    payment: KnownPayment
  ) => Effect.Effect<FoundPayment | undefined, ChainUnavailable, R>
}

/** The submitter of each family that has one, filled by the registry on the top floor. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the registry, which stands above this room.
export interface Registry {}

export class Submitters extends Context.Service<Submitters, Registry>()(
  "bursar/submissions/Submitters"
) {}

/** What the submitters of all families need together. */
type Needs = {
  readonly [Family in keyof Registry]: Registry[Family] extends Submitter<infer R> ? R : never
}[keyof Registry]

/** The submitter of a chain; that its family has none is a defect. */
export const submitterOf = Effect.fnUntraced(function* (chainId: string) {
  const submitters = yield* Submitters
  const { family } = familyOf(chainId)
  if (family in submitters) {
    const submitter: Submitter<Needs> = submitters[family as keyof Registry]
    return submitter
  }
  return yield* Effect.die(new Error(`Nothing can be submitted to ${chainId}.`))
})

/** The steps of whatever family. */
export type AnyBatch = Batch<Needs>

/** Refuses while it is known that nothing can be submitted to a chain. */
export const ready = (chainId: string, accountId: string | null, coinUnits = 0n) =>
  Effect.flatMap(submitterOf(chainId), (submitter) =>
    submitter.ready(chainId, accountId, coinUnits)
  )

export const madeBy = (chainId: string, wallets: ReadonlyArray<AddressKey>, reach?: Reach) =>
  Effect.flatMap(submitterOf(chainId), (submitter) => submitter.madeBy(chainId, wallets, reach))

export const learnForgotten = (chainId: string, wallets: ReadonlyArray<AddressKey>) =>
  Effect.flatMap(
    submitterOf(chainId),
    (submitter) => submitter.learnForgotten?.(chainId, wallets) ?? Effect.void
  )

/** Undefined where nothing stands against it, or the chain does not answer. */
export const violation = (payment: MeantPayment) =>
  Effect.flatMap(submitterOf(payment.chainId), (submitter) =>
    (submitter.violation?.(payment) ?? Effect.undefined).pipe(
      Effect.catchTag("ChainUnavailable", () => Effect.undefined)
    )
  )

export const findPayment = (payment: KnownPayment) =>
  Effect.flatMap(submitterOf(payment.chainId), (submitter) => submitter.findPayment(payment))
