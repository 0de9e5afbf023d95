/**
 * Reports a rejected x402 payment to its merchant. Anyone with a link can send such payments, so each is
 * reported once, and a limited number per request; the rest are only answered.
 */
import { DateTime, Effect } from "effect"
import { canonical } from "../encoding/canonical.ts"
import type { Authorization } from "../evm/journal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Secrets } from "../ports/secrets.ts"
import * as Announce from "./announce.ts"
import { PaymentRequests } from "./request-store.ts"

/** What a merchant may act on; anything else is between the payer and their wallet. */
const byReason: Readonly<Record<string, string>> = {
  expired: "expired",
  cancelled: "cancelled",
  invalid_exact_evm_payload_authorization_value: "wrong_amount",
  invalid_exact_evm_payload_signature: "bad_signature",
  insufficient_funds: "insufficient_funds",
  transaction_reverted: "transaction_reverted"
}

/** Of one request, whatever is sent. */
const maxTold = 5

/** In the running transaction, or in one of its own. */
export const rejectPayment = Effect.fnUntraced(function* (
  requestId: string,
  authorization: Authorization,
  reason: string
) {
  const told = byReason[reason]
  if (told === undefined) return
  const { signature, from, nonce, amountMicro } = authorization
  const digest = (yield* Secrets).sha256(
    canonical([signature, from, nonce, amountMicro.toString(), told])
  )
  const at = yield* DateTime.now
  yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const request = yield* (yield* PaymentRequests).lock(requestId)
      if (request === undefined) return
      const turned = { accountId: request.accountId, requestId, digest, at }
      if (!(yield* (yield* PaymentRequests).rejectPayment(turned, maxTold))) return
      yield* Announce.paymentFailed(request, { reason: told, method: "x402" })
    })
  )
})
