/**
 * Moves the expiry of a payment request that still waits for money to a number of days from now. One that has
 * part of its money may have more time too; one with money on its way is settled first.
 */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { lockIn } from "./cancel.ts"
import { IdOrPid } from "./find.ts"
import { AlreadySettled, PaymentRequestNotOpen } from "./request.ts"
import { rewrite } from "./settle.ts"
import { ExpiryDays } from "./terms.ts"
import * as View from "./view.ts"

export const extendPaymentRequest = Operation.make("extend_payment_request", {
  summary: "Moves the expiry of an open or partly paid payment request to now plus expiryDays.",
  next: "The link and the QR payload stay the same.",
  scope: "payment_requests:write",
  nature: "write",
  authority: byScope,
  input: { idOrPid: IdOrPid, expiryDays: ExpiryDays },
  output: View.fields,
  refusals: [NotFound, PaymentRequestNotOpen, AlreadySettled],
  example: { input: { idOrPid: "pr_4fzQx0aB7cDeFgHiJkLmNo", expiryDays: 14 } },
  handle: Effect.fnUntraced(function* ({ idOrPid, expiryDays }) {
    const request = yield* lockIn(idOrPid, "extended", ["open", "partially_paid"])
    const now = yield* DateTime.now
    const extended = {
      ...request,
      expiresAt: DateTime.add(now, { days: expiryDays }),
      updatedAt: now
    }
    yield* rewrite(extended)
    yield* record({
      accountId: request.accountId,
      actor: (yield* Caller).keyId,
      action: "payment_request.extended",
      subjectType: "payment_request",
      subjectId: request.id,
      facts: { pid: request.pid, expiresAt: DateTime.formatIso(extended.expiresAt) }
    })
    return yield* View.view(extended)
  })
})
