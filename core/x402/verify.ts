/**
 * Simulates a signed payment. Only the chain can judge it, so it is simulated there; nothing is stored for a payment
 * that would be refused.
 */
import { Effect } from "effect"
import { familyOf, shown } from "../chains/address.ts"
import type * as Evm from "../evm/journal.ts"
import { EvmRelay } from "../evm/relay.ts"
import * as Usdc from "../money/usdc.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import { ready } from "../submissions/submitter.ts"
import { isTransaction } from "./authorization.ts"
import { type Accepted, isOffer, notOffered, PaymentRefused, type Terms, wrong } from "./offer.ts"
import { reasonOf } from "./reason.ts"
import type { Settlement } from "./settlement.ts"
import * as Solana from "./verify-solana.ts"

/** What a payer hands in: what they signed, for which offer, and all of it as their client sent it. */
export interface Payment extends Pick<Settlement, "authorization" | "payload"> {
  readonly accepted: Accepted
}

type SignedPayment = Pick<Payment, "authorization" | "accepted">

/** A block's time may stand a little behind the payer's clock. */
const clocksDifferSeconds = 60

/** A signature that ends sooner than this is not worth carrying. */
const minSeconds = 6

/** What an offer of a chain names beside its terms: how its token signs, or who pays the fee of a transaction. */
export const extraOf = Effect.fnUntraced(function* (terms: Terms) {
  return yield* extraBy[familyOf(terms.chainId).family](terms)
})

const tokenNameOf = ({ chainId }: Terms) =>
  Effect.map(
    EvmRelay.use(({ tokenName }) => tokenName(chainId)),
    ({ name, version }): Readonly<Record<string, string>> => ({ name, version })
  )

const extraBy = { evm: tokenNameOf, solana: Solana.extraOf }

/** Whether it pays exactly what is asked, to whom it is asked for, and says so. */
const matches = Effect.fnUntraced(function* (
  signed: Evm.Authorization,
  accepted: Accepted,
  terms: Terms
) {
  const { amountMicro, chainId, to, token } = signed
  if (chainId !== terms.chainId) return yield* wrong("invalid_network", terms)
  // Before the offer: what is owed may have changed since it was made, and that is what is wrong then.
  if (amountMicro !== terms.amountMicro) {
    return yield* wrong("invalid_exact_evm_payload_authorization_value", terms)
  }
  if (!isOffer(accepted, terms, yield* tokenNameOf(terms))) return yield* notOffered
  if (token !== terms.token) return yield* wrong("invalid_exact_evm_payload_asset_mismatch", terms)
  if (to !== terms.payTo) return yield* wrong("invalid_exact_evm_payload_recipient_mismatch", terms)
})

const badWindow = (bound: "after" | "before", message: string) =>
  new PaymentRefused({
    reason: `invalid_exact_evm_payload_authorization_valid_${bound}`,
    message
  })

/** Tries it on the token. */
const verifyAuthorization = Effect.fnUntraced(function* (
  authorization: Evm.Authorization,
  accepted: Accepted,
  terms: Terms
) {
  const { chainId, validBefore } = authorization
  const payouts = yield* EvmRelay
  yield* matches(authorization, accepted, terms)
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
})

/** Tries it on the chain, and whether the relayer could carry it. Gives what the payer holds. */
export const verify = Effect.fnUntraced(function* (
  { accepted, authorization }: SignedPayment,
  terms: Terms
) {
  if (isTransaction(authorization)) {
    yield* Solana.verifyTransaction(authorization, accepted, terms)
  } else {
    yield* verifyAuthorization(authorization, accepted, terms)
  }
  yield* ready(authorization.chainId, null).pipe(
    Effect.catchTag("OUTLAY_LIMIT_EXCEEDED", ({ message }) => new UpstreamUnavailable({ message }))
  )
  const { chainId, from } = authorization
  const [heldMicro = Usdc.zero] = yield* Chains.use(({ balances }) =>
    balances(chainId, [shown(chainId, from)])
  )
  return heldMicro
})
