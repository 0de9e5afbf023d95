/**
 * Reports to its merchant a payment that is credited to nothing: a rejected one by x402, or a direct one for a request
 * that is closed. Anyone with a link can send such payments, so each is reported once, and a limited number per request.
 */
import { DateTime, Effect } from "effect"
import { canonical } from "../encoding/canonical.ts"
import { Atomically } from "../ports/atomically.ts"
import { Secrets } from "../ports/secrets.ts"
import type { Authorization } from "../x402/authorization.ts"
import * as Announce from "./announce.ts"
import { PaymentSettings } from "./payment-settings.ts"
import { PaymentRequests } from "./request-store.ts"
import type { Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

/** What a merchant may act on; anything else is between the payer and their wallet. */
const byReason: Readonly<Record<string, string>> = {
  expired: "expired",
  cancelled: "cancelled",
  invalid_exact_evm_payload_authorization_value: "wrong_amount",
  invalid_exact_svm_payload_amount_mismatch: "wrong_amount",
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
      yield* Announce.paymentFailed(request, { reason: told, method: "x402" }, digest)
    })
  )
})

/** Of one request, however often it is paid. */
const maxRepeatsTold = 5

/** Whether it is among the first repeats of the request. */
const isEarly = Effect.fnUntraced(function* ({ id, vaultId }: Transfer, pid: string) {
  const first = yield* (yield* Transfers).firstRepeats({ vaultId, pid, max: maxRepeatsTold })
  return first.includes(id)
})

/**
 * Reports a final direct payment that can only have been meant for a closed request: too late for one that
 * ended, or a second payment of one that is paid.
 */
export const rejectTransfer = Effect.fnUntraced(function* (transfer: Transfer) {
  const { amountMicro, candidatePids, chainId, logIndex, method, settlementIssue, txHash } =
    transfer
  if (settlementIssue !== "late" && settlementIssue !== "duplicate") return
  const [pid, ...others] = candidatePids
  const { dustMicro } = yield* PaymentSettings
  if (pid === undefined || others.length > 0 || amountMicro < dustMicro) return
  const request = yield* (yield* PaymentRequests).find(transfer.accountId, pid)
  if (request === undefined) return
  const payment = canonical([chainId, txHash, logIndex])
  if (settlementIssue === "duplicate") {
    if (!(yield* isEarly(transfer, pid))) return
    return yield* Announce.paymentFailed(request, { reason: "already_paid", method }, payment)
  }
  const reason = request.status === "cancelled" ? "cancelled" : "expired"
  yield* Announce.paymentFailed(request, { reason, method }, payment)
})
