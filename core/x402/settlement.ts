/**
 * A payment by x402, as those it pays for see it: what its payer signed, what it pays for and how it stands.
 * It is read from a submission; an authorization is bound to one subject for ever.
 */
import { type DateTime, Effect, Schema } from "effect"
import type { TransactionId } from "../chains/address.ts"
import { newSubmission, type Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { type Authorization, fromTerms, toTerms } from "./authorization.ts"
import { reasonOf } from "./reason.ts"

const Plan = Schema.Literals(["personal", "startup"])

/** What is paid for. */
export const Subject = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("payment_request"),
    accountId: Schema.String,
    requestId: Schema.String,
    pid: Schema.String
  }),
  Schema.Struct({
    _tag: Schema.Literal("onboarding"),
    plan: Plan,
    /** What the request said beside it. */
    facts: Schema.JsonObject
  }),
  Schema.Struct({ _tag: Schema.Literal("renewal"), accountId: Schema.String, plan: Plan })
])
export type Subject = typeof Subject.Type

/** What no two settlements share; a token takes one authorization of one holder under one nonce. */
export type Key = Pick<Authorization, "chainId" | "token" | "from" | "nonce">

export interface Settlement {
  readonly id: string
  readonly chainId: string
  readonly subject: Subject
  readonly authorization: Authorization
  /** What the client sent, as it sent it. */
  readonly payload: Schema.JsonObject
  /** `paid` once that is final; `failed` when nothing of ours will ever make the token take it. */
  readonly outcome: "paid" | "failed" | null
  /** Why it failed, or what stands in its way, as x402 names reasons; null when nothing does. */
  readonly reason: string | null
  /** The transaction in which the token took it, as last seen; it is final with the outcome `paid`. */
  readonly txHash: TransactionId | null
  /** Every transaction made for it, newest last. */
  readonly txIds: ReadonlyArray<TransactionId>
  /** The transfer to a vault that it became in the records. */
  readonly transferId: string | null
}

export const purpose = "x402"

const decode = Schema.decodeUnknownSync(Subject)
const outcomes = { final: "paid", failed: "failed" } as const

/** The settlement that a submission for this purpose is. */
export const settlementOf = (submission: Submission): Settlement => {
  const { chainId, id, purpose: told, reason, status, terms, transferId, txIds } = submission
  const isTaken = status === "seen" || status === "final"
  return {
    id,
    chainId,
    subject: decode(told.subject),
    // A settlement is opened with what its payer signed.
    authorization: fromTerms(terms.signed as Schema.JsonObject),
    payload: told.payload as Schema.JsonObject,
    outcome: status === "final" || status === "failed" ? outcomes[status] : null,
    reason: reason === null ? null : reasonOf(reason),
    txHash: isTaken ? (txIds.at(-1) ?? null) : null,
    txIds,
    transferId
  }
}

/** The key of the submission of an authorization. */
export const keyOf = ({ chainId, from, nonce, token }: Key): string =>
  ["x402", chainId, token, from, nonce].join(" ")

/** The submission of what a payer has signed, due from now on. */
export const submissionOf = (
  {
    authorization,
    id,
    payload,
    subject
  }: Pick<Settlement, "id" | "subject" | "authorization" | "payload">,
  now: DateTime.Utc
): Submission => {
  const { act, amountMicro, chainId, from, nonce: identity, to, token } = authorization
  return newSubmission(
    {
      id,
      key: keyOf(authorization),
      purpose: {
        name: purpose,
        accountId: subject._tag === "onboarding" ? null : subject.accountId,
        ...(subject._tag === "payment_request" ? { requestId: subject.requestId } : {}),
        subject,
        payload
      },
      chainId,
      terms: {
        act,
        from,
        to,
        amount: { token: { chainId, address: token }, units: amountMicro },
        identity,
        call: null,
        wallet: null,
        signed: toTerms(authorization)
      }
    },
    now
  )
}

/** Whether two mean the same purchase. */
export const isSameSubject = (one: Subject, other: Subject): boolean => {
  if (one._tag === "payment_request") {
    return other._tag === "payment_request" && other.requestId === one.requestId
  }
  if (one._tag === "renewal") {
    return other._tag === "renewal" && other.accountId === one.accountId && other.plan === one.plan
  }
  return other._tag === "onboarding" && other.plan === one.plan
}

/** Whether the token took it in a block, final or not. */
export const isTaken = ({ outcome, txHash }: Settlement): boolean =>
  outcome !== "failed" && txHash !== null

/** The settlement of an authorization. */
export const find = Effect.fnUntraced(function* (key: Key) {
  const submission = yield* (yield* SubmissionStore).find(keyOf(key))
  return submission === undefined ? undefined : settlementOf(submission)
})

/** Those of payment requests that have not failed, oldest first. */
export const standing = Effect.fnUntraced(function* (requestIds: ReadonlyArray<string>) {
  return (yield* (yield* SubmissionStore).standing(requestIds)).map(settlementOf)
})
