/**
 * What may come next in the execution of a proposal, decided by its kind from its terms and the steps so far. A
 * decision is a plain value: deciding asks nobody, so that it can be made in the transaction that ends a step.
 */
import type { DateTime } from "effect"
import type { Submission, Terms } from "../submissions/submission.ts"
import type { StepKind, Wait } from "./wait.ts"

/** One act on one chain, by a wallet of the account or, where `walletId` is null, by the relayer alone. */
export interface StepSubmission extends Omit<Terms, "wallet" | "signed" | "identity" | "call"> {
  readonly _tag: "submit"
  /** Of an act that is a call. */
  readonly call?: Terms["call"]
  readonly kind: StepKind
  /** Its entry in the registry of purposes. */
  readonly purpose: string
  readonly chainId: string
  readonly walletId: string | null
  /**
   * Which of several acts of the proposal it is, as part of what the chain knows it by. Left out for the act that
   * the proposal is for; two tries of one act are the same part, so that the chain lets one of them happen.
   */
  readonly part?: string
}

/** Something outside to wait for. */
export interface StepWait extends Pick<Wait, "kind" | "watch" | "chainId" | "terms" | "deadline"> {
  readonly _tag: "wait"
}

/** A fee that was paid, in smallest units of what `symbol` names. */
export interface Fee {
  readonly kind: "network" | "protocol" | "relayer" | "bridge"
  readonly symbol: string
  readonly amount: string
  readonly amountUsd: string | null
}

/** What came of it, in smallest units of the tokens that the terms name. */
export interface Result {
  readonly soldAmount?: string
  readonly boughtAmount?: string
  readonly refundedAmount?: string
  readonly feesPaid?: ReadonlyArray<Fee>
}

/** The proposal ends. */
export type StepEnd =
  | {
      readonly _tag: "end"
      readonly outcome: "executed"
      readonly result?: Result
      /** It was done by an earlier call that these records did not know, and found on the chain by a wait. */
      readonly isRecovered?: boolean
    }
  | {
      readonly _tag: "end"
      readonly outcome: "not_executed" | "partly_executed" | "refunded"
      /** A sentence that says why. */
      readonly reason: string
      readonly result?: Result
    }

export type NextStep = StepSubmission | StepWait | StepEnd

interface OfStep {
  /** Counted from one. */
  readonly n: number
  readonly kind: StepKind
  readonly isEnded: boolean
  /** A submission is done when it is final, a wait when what it waited for came. */
  readonly isDone: boolean
}

/** A step as it stands. Those that a decision is made from have all ended. */
export type Step =
  | (OfStep & { readonly _tag: "submission"; readonly submission: Submission })
  | (OfStep & { readonly _tag: "wait"; readonly wait: Wait })

/** What a decision may depend on beside terms and steps. */
export interface Moment {
  readonly now: DateTime.Utc
  readonly proposalId: string
  readonly accountId: string
  /** Whether somebody asked to cancel the proposal while it executes. */
  readonly isStopAsked: boolean
}
