/** The refusal of what must be paid for first. It is a challenge, not an answer: it locks and keeps nothing. */
import { define } from "../operation/refusal.ts"

export class PaymentRequired extends define("PAYMENT_REQUIRED", {
  kind: "payment_required",
  meaning:
    "The call must be paid by x402. The header `PAYMENT-REQUIRED` says how; `PAYMENT-RESPONSE` and `details.reason` say why a payment was rejected."
}) {}
