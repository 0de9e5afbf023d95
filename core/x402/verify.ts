/**
 * Simulates a signed payment. Only the token can judge a signature, so it is simulated there; nothing is
 * stored for a payment that the token would refuse.
 */
import { Data, Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import { EvmRelay, type TokenName } from "../evm/relay.ts"
import type { Usdc } from "../money/usdc.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { ready } from "../submissions/submitter.ts"
import { reasonOf } from "./reason.ts"
import type { Settlement } from "./settlement.ts"

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
}

/** The offer that a payer says they take; what they leave out of it is undefined. */
export interface Accepted extends Omit<Terms, "maxTimeoutSeconds">, Partial<TokenName> {
  readonly maxTimeoutSeconds?: number
}

/** What a payer hands in: what they signed, for which offer, and all of it as their client sent it. */
export interface Payment extends Pick<Settlement, "authorization" | "payload"> {
  readonly accepted: Accepted
}

type SignedPayment = Pick<Payment, "authorization" | "accepted">

/** A block's time may stand a little behind the payer's clock. */
const clocksDifferSeconds = 60

/** A signature that ends sooner than this is not worth carrying. */
const minSeconds = 6

const isOffer = (accepted: Accepted, terms: Terms, { name, version }: TokenName): boolean =>
  accepted.chainId === terms.chainId &&
  accepted.token === terms.token &&
  accepted.payTo === terms.payTo &&
  accepted.amountMicro === terms.amountMicro &&
  accepted.maxTimeoutSeconds === terms.maxTimeoutSeconds &&
  accepted.name === name &&
  accepted.version === version

const mismatch = (
  { accepted, authorization }: SignedPayment,
  terms: Terms,
  tokenName: TokenName
) => {
  const { amountMicro, chainId, to, token } = authorization
  if (chainId !== terms.chainId) return "invalid_network"
  // Before the offer: what is owed may have changed since it was made, and that is what is wrong then.
  if (amountMicro !== terms.amountMicro) return "invalid_exact_evm_payload_authorization_value"
  if (!isOffer(accepted, terms, tokenName)) return "invalid_payment_requirements"
  if (token !== terms.token) return "invalid_exact_evm_payload_asset_mismatch"
  if (to !== terms.payTo) return "invalid_exact_evm_payload_recipient_mismatch"
  return undefined
}

/** Whether it pays exactly what is asked, to whom it is asked for, and says so. */
const matches = (signed: SignedPayment, terms: Terms, tokenName: TokenName) => {
  const reason = mismatch(signed, terms, tokenName)
  if (reason === undefined) return Effect.void
  const asked = `${terms.amountMicro} to ${terms.payTo} in ${terms.token} on ${terms.chainId}`
  const message =
    reason === "invalid_payment_requirements"
      ? "accepted does not match a current offer; copy one entry of accepts from PAYMENT-REQUIRED unchanged."
      : `The signed payment does not match the offer: ${asked}.`
  return Effect.fail(new PaymentRefused({ reason, message }))
}

const badWindow = (bound: "after" | "before", message: string) =>
  new PaymentRefused({
    reason: `invalid_exact_evm_payload_authorization_valid_${bound}`,
    message
  })

/** Tries it on the chain, and whether the relayer could carry it. */
export const verify = Effect.fnUntraced(function* (signed: SignedPayment, terms: Terms) {
  const { authorization } = signed
  const { chainId, validBefore } = authorization
  const payouts = yield* EvmRelay
  yield* matches(signed, terms, yield* payouts.tokenName(terms.chainId))
  const { chainTime } = yield* payouts.conditions(chainId)
  if (validBefore < chainTime + minSeconds) {
    return yield* badWindow("before", "The signature has expired or is about to; sign again.")
  }
  if (validBefore > chainTime + terms.maxTimeoutSeconds + 10 * clocksDifferSeconds) {
    return yield* badWindow(
      "before",
      `The signature is valid for too long; use at most ${terms.maxTimeoutSeconds} seconds.`
    )
  }
  if ((authorization.validAfter ?? 0) > chainTime + clocksDifferSeconds) {
    return yield* badWindow(
      "after",
      "The signature is not valid yet; send it after its validAfter."
    )
  }
  const trial = yield* payouts.simulate(authorization)
  if (trial._tag === "would_revert") {
    return yield* new PaymentRefused({
      reason: reasonOf(trial.reason),
      message: `The token contract would reject it: ${trial.reason}`
    })
  }
  yield* ready(chainId, null).pipe(
    Effect.catchTag("OUTLAY_LIMIT_EXCEEDED", ({ message }) => new UpstreamUnavailable({ message }))
  )
})
