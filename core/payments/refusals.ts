/** The refusals of payment requests, raised by more than one of their writes. */
import { define } from "../operation/refusal.ts"

export class PaymentRequestNotOpen extends define("PAYMENT_REQUEST_NOT_OPEN", {
  kind: "conflict",
  meaning: "The payment request has expired or was cancelled; create a new one."
}) {}

export class AlreadySettled extends define("ALREADY_SETTLED", {
  kind: "conflict",
  meaning: "Money for this payment request has arrived or is arriving; read it before going on."
}) {}
