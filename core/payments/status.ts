/**
 * The life of a payment request as pure rules: which statuses there are, and the status that its
 * transfers add up to (contract, Payment requests). A status is always recomputed, never guessed.
 */
import { Schema } from "effect"
import type { Usdc } from "../money/usdc.ts"

export const Status = Schema.Literals([
  "open",
  "processing",
  "partially_paid",
  "paid",
  "expired",
  "cancelled"
])
export type Status = typeof Status.Type

export const SettlementIssue = Schema.Literals([
  "none",
  "underpaid",
  "overpaid",
  "late",
  "ambiguous"
])
export type SettlementIssue = typeof SettlementIssue.Type

/** A deposit may repeat the payment of a request besides. */
export const DepositIssue = Schema.Literals([...SettlementIssue.literals, "duplicate"])
export type DepositIssue = typeof DepositIssue.Type

/** Statuses in which a request still takes money. */
export const payableStatuses: ReadonlyArray<Status> = ["open", "processing", "partially_paid"]

/** Statuses in which a request was never paid and takes no money any more. */
export const endedStatuses: ReadonlyArray<Status> = ["expired", "cancelled"]

export const isPayable = (status: Status): boolean => payableStatuses.includes(status)

/** What a request has received: final money, and money seen on chain that is not final yet. */
export interface Received {
  readonly finalMicro: Usdc
  readonly inFlightMicro: Usdc
}

/** The status a payable request has, given what it has received. */
export const statusFor = (amountMicro: Usdc, received: Received): Status =>
  received.finalMicro >= amountMicro
    ? "paid"
    : received.inFlightMicro > 0n
      ? "processing"
      : received.finalMicro > 0n
        ? "partially_paid"
        : "open"

export const issueOf = (amountMicro: Usdc, finalMicro: Usdc): SettlementIssue =>
  finalMicro > amountMicro ? "overpaid" : "none"
