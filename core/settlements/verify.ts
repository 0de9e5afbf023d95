/**
 * Whether a signed payment would be taken by its token just now. Only the token judges a signature, so it
 * is tried there; nothing is written down for what it would refuse.
 */
import { Data, Effect } from "effect"
import { Payouts } from "../ports/payouts.ts"
import type { Authorization } from "../proposals/execution.ts"
import { ready } from "../proposals/relayer.ts"
import { reasonOf } from "./reason.ts"

/** A payment that was not taken; nothing moved on its account. */
export class PaymentRefused extends Data.TaggedError("PaymentRefused")<{
  /** As x402 names reasons: `insufficient_funds`. */
  readonly reason: string
  readonly message: string
}> {}

/** What is asked of a payer in one way of paying; amounts in smallest units. */
export interface Terms {
  readonly chainId: string
  readonly token: string
  readonly payTo: string
  readonly amountMicro: bigint
  /** How long a signature may last. */
  readonly maxTimeoutSeconds: number
}

/** A block's time may stand a little behind the payer's clock. */
const clocksDifferSeconds = 60

/** A signature that ends sooner than this is not worth carrying. */
const leastSeconds = 6

const mismatch = ({ chainId, token, to, amountMicro }: Authorization, terms: Terms) => {
  if (chainId !== terms.chainId) return "invalid_network"
  if (token !== terms.token) return "invalid_exact_evm_payload_asset_mismatch"
  if (to !== terms.payTo) return "invalid_exact_evm_payload_recipient_mismatch"
  if (amountMicro !== terms.amountMicro) return "invalid_exact_evm_payload_authorization_value"
  return undefined
}

/** Whether it pays exactly what is asked, to whom it is asked for. */
export const matches = (authorization: Authorization, terms: Terms) => {
  const reason = mismatch(authorization, terms)
  return reason === undefined
    ? Effect.void
    : Effect.fail(
        new PaymentRefused({
          reason,
          message: `The signed payment is not what is asked: ${terms.amountMicro} to ${terms.payTo} in ${terms.token} on ${terms.chainId}.`
        })
      )
}

const badWindow = (bound: "after" | "before", message: string) =>
  new PaymentRefused({
    reason: `invalid_exact_evm_payload_authorization_valid_${bound}`,
    message
  })

/** Tries it on the chain, and whether the relayer could carry it. */
export const verify = Effect.fnUntraced(function* (authorization: Authorization, terms: Terms) {
  yield* matches(authorization, terms)
  const { chainId, validBefore } = authorization
  const payouts = yield* Payouts
  const { chainTime } = yield* payouts.conditions(chainId)
  if (validBefore < chainTime + leastSeconds) {
    return yield* badWindow("before", "The signature has expired, or is about to; sign anew.")
  }
  if (validBefore > chainTime + terms.maxTimeoutSeconds + 10 * clocksDifferSeconds) {
    return yield* badWindow(
      "before",
      `The signature lasts too long; let it last ${terms.maxTimeoutSeconds} seconds at most.`
    )
  }
  if ((authorization.validAfter ?? 0) > chainTime + clocksDifferSeconds) {
    return yield* badWindow("after", "The signature is not valid yet; send it when it is.")
  }
  const trial = yield* payouts.simulate(authorization)
  if (trial._tag === "would_revert") {
    return yield* new PaymentRefused({
      reason: reasonOf(trial.reason),
      message: `The token would not take it: ${trial.reason}`
    })
  }
  yield* ready(chainId)
})
