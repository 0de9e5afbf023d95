/**
 * Reports a final direct payment that can only have been meant for a closed request: too late for one that
 * ended, or a second payment of one that is paid.
 */
import { Effect } from "effect"
import * as Announce from "./announce.ts"
import { PaymentSettings } from "./payment-settings.ts"
import { PaymentRequests } from "./request-store.ts"
import type { Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

/** Of one request, however often it is paid. */
const maxRepeatsTold = 5

/** Whether it is among the first repeats of the request. */
const isEarly = Effect.fnUntraced(function* ({ id, vaultId }: Transfer, pid: string) {
  const first = yield* (yield* Transfers).firstRepeats({ vaultId, pid, max: maxRepeatsTold })
  return first.includes(id)
})

export const turnAway = Effect.fnUntraced(function* (transfer: Transfer) {
  const { amountMicro, candidatePids, method, settlementIssue } = transfer
  if (settlementIssue !== "late" && settlementIssue !== "duplicate") return
  const [pid, ...others] = candidatePids
  const { dustMicro } = yield* PaymentSettings
  if (pid === undefined || others.length > 0 || amountMicro < dustMicro) return
  const request = yield* (yield* PaymentRequests).find(transfer.accountId, pid)
  if (request === undefined) return
  if (settlementIssue === "duplicate") {
    if (!(yield* isEarly(transfer, pid))) return
    return yield* Announce.paymentFailed(request, { reason: "already_paid", method })
  }
  const reason = request.status === "cancelled" ? "cancelled" : "expired"
  yield* Announce.paymentFailed(request, { reason, method })
})
