/** The refusal of what must be paid for first. It is a challenge, not an answer: it locks and keeps nothing. */
import { define } from "../operation/refusal.ts"

export class PaymentRequired extends define("PAYMENT_REQUIRED", {
  kind: "payment_required",
  meaning:
    "It is paid for by x402: `PAYMENT-REQUIRED` says how, `PAYMENT-RESPONSE` and `details.reason` why a payment was not taken."
}) {}
