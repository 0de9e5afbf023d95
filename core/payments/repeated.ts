/**
 * Which paid request a transfer pays once more, as a pure rule. It is said only when one request alone can be
 * meant: the one of this amount that this payer paid, or else the one of this amount that was paid of late.
 */
import { DateTime } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { PaymentRequest } from "./request.ts"

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
