/** How buying a plan is refused, beside what x402 itself says of a payment. */
import { define } from "../operation/refusal.ts"

export class PlansNotSold extends define("PLANS_NOT_SOLD", {
  kind: "not_found",
  meaning:
    "This treasury sells no plans: its operator has named no wallet that they are paid to, or has connected no chain."
}) {}

export class NothingToRenew extends define("NOTHING_TO_RENEW", {
  kind: "conflict",
  meaning: "The account's plan never ends, so there is nothing to pay for."
}) {}

export const refusals = [PlansNotSold, NothingToRenew] as const
