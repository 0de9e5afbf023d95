/**
 * Which request a direct send pays, as a pure rule (spec section 6, Delivery guarantees 6). Only an
 * unambiguous match is made; everything else is a deposit the merchant decides about.
 */
import { DateTime } from "effect"
import type { AddressKey } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import type { PaymentRequest } from "./request.ts"
import { type DepositIssue, isPayable, type Status } from "./status.ts"

/** An unpaid request of the vault, with what has come for it so far, money in flight included. */
export interface Candidate {
  readonly id: string
  readonly pid: string
  readonly status: Status
  readonly amountMicro: Usdc.Usdc
  readonly comingMicro: Usdc.Usdc
  readonly expiresAt: DateTime.Utc
}

export interface Incoming {
  readonly amountMicro: Usdc.Usdc
  readonly blockTime: DateTime.Utc
  /** The request that its payer signed for; heard only where the rule would have to guess. */
  readonly claimedFor?: string | undefined
  /** The pid of the paid request that it can only have been meant for; heard when no request takes it. */
  readonly repeats?: string | undefined
}

export type Match =
  | { readonly _tag: "credited"; readonly requestId: string; readonly byClaim?: true }
  | {
      readonly _tag: "deposit"
      readonly issue: DepositIssue
      readonly candidatePids: ReadonlyArray<string>
    }

const outstanding = ({ amountMicro, comingMicro }: Candidate): Usdc.Usdc =>
  Usdc.missing(amountMicro, comingMicro)

/** How many requests a deposit names that it may have been meant for: the newest. */
export const maxNamed = 50

const deposit = (issue: DepositIssue, candidates: ReadonlyArray<Candidate>): Match => ({
  _tag: "deposit",
  issue,
  candidatePids: candidates.slice(-maxNamed).map((candidate) => candidate.pid)
})

const completes = (candidate: Candidate, amountMicro: Usdc.Usdc) =>
  outstanding(candidate) > 0n && amountMicro >= outstanding(candidate)

/** A transfer in a block stamped at or before the expiry is on time, whenever it is seen. */
export const takes = (
  candidate: Pick<Candidate, "status" | "expiresAt">,
  incoming: Pick<Incoming, "blockTime">
) =>
  isPayable(candidate.status) &&
  DateTime.isLessThanOrEqualTo(incoming.blockTime, candidate.expiresAt)

/** An amount says more than a vault: a request that ended and asks for it comes before one that had it. */
const late = (candidates: ReadonlyArray<Candidate>, incoming: Incoming): Match => {
  const equal = candidates.filter((each) => outstanding(each) === incoming.amountMicro)
  if (equal.length === 0 && incoming.repeats !== undefined) {
    return { _tag: "deposit", issue: "duplicate", candidatePids: [incoming.repeats] }
  }
  if (candidates.length === 0) return deposit("none", [])
  return deposit("late", equal.length > 0 ? equal : candidates)
}

/** Whether nothing takes it, so that it matters which paid request it repeats. */
export const isTakenByNone = (found: Match): boolean =>
  found._tag === "deposit" && (found.issue === "none" || found.issue === "late")

/** Matches one transfer against the unpaid requests of the vault it came to. */
export const match = (
  candidates: ReadonlyArray<Candidate>,
  incoming: Incoming,
  dustMicro: Usdc.Usdc
): Match => {
  const taking = candidates.filter((candidate) => takes(candidate, incoming))
  const [only, ...others] = taking
  if (only === undefined) return late(candidates, incoming)
  if (others.length > 0) {
    const equal = taking.filter((each) => outstanding(each) === incoming.amountMicro)
    const claimed = equal.find((each) => each.id === incoming.claimedFor)
    if (claimed !== undefined && equal.length > 1) {
      return { _tag: "credited", requestId: claimed.id, byClaim: true }
    }
    const [one, ...more] = equal
    return one !== undefined && more.length === 0
      ? { _tag: "credited", requestId: one.id }
      : deposit("ambiguous", equal.length > 0 ? equal : taking)
  }
  return incoming.amountMicro >= dustMicro || completes(only, incoming.amountMicro)
    ? { _tag: "credited", requestId: only.id }
    : deposit("underpaid", [only])
}

/**
 * Matches one transfer that names requests of its vault. Naming one says more than any amount does, so no other
 * request is thought of; naming several says too much.
 */
export const matchNamed = (
  named: ReadonlyArray<Candidate>,
  incoming: Pick<Incoming, "amountMicro" | "blockTime">,
  dustMicro: Usdc.Usdc
): Match => {
  const [only, ...others] = named
  if (only === undefined || others.length > 0) return deposit("ambiguous", named)
  return only.status === "paid" ? deposit("duplicate", [only]) : match([only], incoming, dustMicro)
}

/** For how long after its payment a request is thought of when its amount comes from somebody else. */
export const repeatedWithinDays = 30

export type Paid = Pick<PaymentRequest, "pid" | "payerAddress" | "paidAt">

/** Of paid requests of the transfer's vault and amount; undefined when none or several can be meant. */
export const repeated = (
  paid: ReadonlyArray<Paid>,
  from: AddressKey,
  since: DateTime.Utc
): string | undefined => {
  const byPayer = paid.filter(({ payerAddress }) => payerAddress === from)
  const ofLate = paid.filter(
    ({ paidAt }) => paidAt !== null && DateTime.isGreaterThanOrEqualTo(paidAt, since)
  )
  for (const meant of [byPayer, ofLate]) {
    const [only, ...others] = meant
    if (only !== undefined && others.length === 0) return only.pid
  }
  return undefined
}
