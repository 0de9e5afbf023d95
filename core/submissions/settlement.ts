/**
 * The journal of one x402 settlement: what a payer signed for us, what it pays for, and every transaction
 * made to carry it, written down before each step. An authorization is bound to one subject for ever.
 */
import type { DateTime, Schema } from "effect"
import type { Account } from "../accounts/account.ts"
import type { Authorization, Carriage } from "./execution.ts"

/** What is paid for. */
export type Subject =
  | {
      readonly _tag: "payment_request"
      readonly accountId: string
      readonly requestId: string
      readonly pid: string
    }
  | {
      readonly _tag: "onboarding"
      readonly plan: Account["tier"]
      /** What the request said beside it. */
      readonly facts: Readonly<Record<string, Schema.Json>>
    }
  | { readonly _tag: "renewal"; readonly accountId: string; readonly plan: Account["tier"] }

/** What no two settlements share; a token takes one authorization of one holder under one nonce. */
export type Key = Pick<Authorization, "chainId" | "token" | "from" | "nonce">

export interface Settlement extends Carriage {
  readonly id: string
  readonly subject: Subject
  /** Addresses and nonce in lower case. */
  readonly authorization: Authorization
  /** What the client sent, as it sent it. */
  readonly payload: Readonly<Record<string, Schema.Json>>
  /** What has been written down; each step is safe to do again. */
  readonly step: "signed" | "wrapped" | "broadcast" | "settled"
  /** `paid` once that is final; `failed` when nothing of ours will ever make the token take it. */
  readonly outcome: "paid" | "failed" | null
  /** Why it failed, or what stands in its way, as x402 names reasons; null when nothing does. */
  readonly reason: string | null
  /** The transaction in which the token took it, as last seen; it is final with the outcome `paid`. */
  readonly txHash: string | null
  /** The transfer to a vault that it became in the records. */
  readonly transferId: string | null
  /** When to look at it next; null once it is settled. */
  readonly nextLookAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

export const keyOf = ({ authorization: { chainId, token, from, nonce } }: Settlement): Key => ({
  chainId,
  token,
  from,
  nonce
})

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

/** Settled with the outcome it has; nothing looks at it again. */
export const settled = (settlement: Settlement): Settlement => ({
  ...settlement,
  step: "settled",
  nextLookAt: null
})
