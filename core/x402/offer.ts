/**
 * What is asked of a payer, and what they say they take. What was accepted must be an offer of ours, field by field,
 * whatever the signature says.
 */
import { Data, Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Usdc } from "../money/usdc.ts"

/** A payment that was not taken; nothing moved on its account. */
export class PaymentRefused extends Data.TaggedError("PaymentRefused")<{
  /** As x402 names reasons: `insufficient_funds`. */
  readonly reason: string
  readonly message: string
}> {}

/** What is asked of a payer in one way of paying; amounts in smallest units. */
export interface Terms {
  readonly chainId: string
  readonly token: AddressKey
  readonly payTo: AddressKey
  readonly amountMicro: Usdc
  /** How long a signature may last. */
  readonly maxTimeoutSeconds: number
  /** What a payment says beside, on a chain where it can. */
  readonly memo?: string
}

/** What an offer may name beside its terms, by the family of its chain. */
export const extras = ["name", "version", "feePayer", "memo"] as const

/** The offer that a payer says they take; what they leave out of it is undefined. */
export interface Accepted
  extends Omit<Terms, "maxTimeoutSeconds" | "memo">,
    Partial<Record<(typeof extras)[number], string>> {
  readonly maxTimeoutSeconds?: number
}

export const isOffer = (
  accepted: Accepted,
  terms: Terms,
  extra: Readonly<Partial<Record<string, string>>>
): boolean =>
  accepted.chainId === terms.chainId &&
  accepted.token === terms.token &&
  accepted.payTo === terms.payTo &&
  accepted.amountMicro === terms.amountMicro &&
  accepted.maxTimeoutSeconds === terms.maxTimeoutSeconds &&
  extras.every((name) => extra[name] === undefined || accepted[name] === extra[name])

export const notOffered = Effect.fail(
  new PaymentRefused({
    reason: "invalid_payment_requirements",
    message:
      "accepted does not match a current offer; copy one entry of accepts from PAYMENT-REQUIRED unchanged."
  })
)

/** What was signed is not what is asked. */
export const wrong = (reason: string, { amountMicro, chainId, payTo, token }: Terms) =>
  Effect.fail(
    new PaymentRefused({
      reason,
      message: `The signed payment does not match the offer: ${amountMicro} to ${payTo} in ${token} on ${chainId}.`
    })
  )
