/**
 * A submission: one act on one chain, its life and its journal. What is to happen is written once; how far it
 * has come is written down before each step, so that a process may die between any two lines.
 */
import { type DateTime, Schema } from "effect"
import { AddressKey, type TransactionId } from "../chains/address.ts"
import { TokenAmount } from "../chains/token-amount.ts"

/**
 * `prepared`: nothing is signed. `signed`: a signature exists and no transaction. `submitted`: a transaction
 * is written down and may have reached the network. `seen`: a block has it. `final`: a final block has it.
 * `failed`: it never will take effect. A signature that has become useless takes it back to `prepared`.
 */
export type Status = "prepared" | "signed" | "submitted" | "seen" | "final" | "failed"

/** What is to happen on the chain, once. */
export const Terms = Schema.Struct({
  /**
   * A wallet moves its tokens, lets a spender take them by a signature, or calls a program by a transaction of its
   * own. For the fees of that the relayer lends it what it lacks. An order is signed for a venue, and never submitted.
   */
  act: Schema.Literals(["transfer", "permit", "call", "lend", "order"]),
  from: AddressKey,
  /** Who is paid, who may take, or whom the call is about. */
  to: AddressKey,
  amount: TokenAmount,
  /**
   * What a call carries out, in the form of the chain's family, or what an order says; null for any other act. Nothing of it is believed:
   * the signing rule of the kind derives it from the proposal's terms, and signs nothing that differs.
   */
  call: Schema.NullOr(Schema.JsonObject),
  /** The text that a transfer carries on the chain, for all to read; absent when it carries none. */
  memo: Schema.optionalKey(Schema.String),
  /** What the chain is to know it by (`identity.ts`), so that it happens once. */
  identity: Schema.String,
  /** The wallet of ours that signs; null when somebody else's has signed. */
  wallet: Schema.NullOr(
    Schema.Struct({
      id: Schema.String,
      /** Which backend holds its key, and what that calls it. */
      key: Schema.Struct({ backend: Schema.String, ref: Schema.String })
    })
  ),
  /** What somebody else has signed, in the form of the chain's family; null when a wallet of ours signs. */
  signed: Schema.NullOr(Schema.JsonObject)
})
export type Terms = typeof Terms.Type

/**
 * What it is for: the name of an entry of the registry (`Purposes`), whose account, what it pays for, and
 * whatever else the purpose keeps.
 */
export type Purpose = Readonly<Record<string, Schema.Json>> & {
  readonly name: string
  readonly accountId: string | null
  readonly proposalId?: string
  readonly requestId?: string
}

/** What the family of a chain keeps of a submission; no other code reads it. */
export type Journal = Schema.JsonObject

export interface Submission {
  readonly id: string
  /** What no two submissions share: the step of a proposal, or what was signed by somebody else. */
  readonly key: string
  readonly purpose: Purpose
  readonly chainId: string
  readonly terms: Terms
  readonly status: Status
  /** What stands in its way, or why it failed: a sentence. Null when nothing does. */
  readonly reason: string | null
  /** Its transactions, newest last; once a block has it, the one that did it. */
  readonly txIds: ReadonlyArray<TransactionId>
  /** In whose order of transactions it has a place, and which. Null together, and in families without one. */
  readonly relayer: AddressKey | null
  readonly relayerSequence: number | null
  readonly journal: Journal
  /** The transfer to a vault that it became in the records. */
  readonly transferId: string | null
  /** When to look at it next; null once it is closed: nothing looks at it again. */
  readonly nextLookAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** A submission that nothing was done for yet. */
export const newSubmission = (
  draft: Pick<Submission, "id" | "key" | "purpose" | "chainId" | "terms">,
  now: DateTime.Utc
): Submission => ({
  ...draft,
  status: draft.terms.signed === null ? "prepared" : "signed",
  reason: null,
  txIds: [],
  relayer: null,
  relayerSequence: null,
  journal: {},
  transferId: null,
  nextLookAt: now,
  createdAt: now,
  updatedAt: now
})

/** As it was when it was opened. What was signed or made for it, if anything was, can never take effect. */
export const anew = (submission: Submission): Submission => ({
  ...newSubmission(submission, submission.createdAt),
  transferId: submission.transferId,
  nextLookAt: submission.nextLookAt,
  updatedAt: submission.updatedAt
})

export const isEnded = ({ status }: Pick<Submission, "status">): boolean =>
  status === "final" || status === "failed"

/** Whether no transaction exists that could have reached the network. */
export const isUnsubmitted = ({ status }: Pick<Submission, "status">): boolean =>
  status === "prepared" || status === "signed"

/** Under these names the families keep the signed bytes of a transaction, each with the attempt it was. */
export const signedBytes = ["raw", "wire"] as const

/** How long they are kept once nothing looks at a submission again: for as long as somebody may ask what was sent. */
export const keptDays = 30

/** The same without the signed bytes of its transactions, which are on the chain or are worth nothing by now. */
export const withoutBytes = (submission: Submission): Submission => {
  const { attempts } = submission.journal
  if (!Array.isArray(attempts)) return submission
  const emptied = attempts.map((attempt) => {
    const kept = attempt as Schema.JsonObject
    const names = signedBytes.filter((name) => name in kept)
    return { ...kept, ...Object.fromEntries(names.map((name) => [name, ""])) }
  })
  return { ...submission, journal: { ...submission.journal, attempts: emptied } }
}

/** Whether a block has it, final or not. */
export const isTaken = ({ status }: Pick<Submission, "status">): boolean =>
  status === "seen" || status === "final"

/** What a journal may hold of a submission that nothing was signed for: what came of it, and what was tried in vain. */
const besidesSigning: ReadonlyArray<string> = ["received", "networkFee", "tries"]

/** Whether nothing was ever signed for it here. */
export const isUnsigned = ({ journal }: Pick<Submission, "journal">): boolean =>
  Object.keys(journal).every((field) => besidesSigning.includes(field))

/** Whether the chain had it before anything was signed for it here. */
export const isRecovered = ({ journal, status, terms }: Submission): boolean =>
  status === "final" && terms.signed === null && isUnsigned({ journal })

/** Nothing looks at it again. */
export const ended = (submission: Submission): Submission => ({ ...submission, nextLookAt: null })

/** What a step writes down; what is to happen, and what for, no write names again. */
export const progress = [
  "status",
  "reason",
  "txIds",
  "relayer",
  "relayerSequence",
  "journal",
  "nextLookAt",
  "updatedAt"
] as const satisfies ReadonlyArray<keyof Submission>
