/**
 * What is sold over REST for a payment by x402 (contract, Agents): a new agent's account, and one more term
 * of one there is. They are described like operations; that a payment comes with the call sets them apart.
 */
import { Schema } from "effect"
import { AgentKeyRequired } from "../governance/challenge.ts"
import type * as Operation from "../operation/operation.ts"
import {
  define,
  InsufficientScope,
  Unauthenticated,
  UnsupportedChain
} from "../operation/refusal.ts"
import { PaymentRequired } from "../x402/payment-required.ts"
import * as Facts from "./facts.ts"
import { openedFields, renewedFields } from "./subscription.ts"

export class PlansNotSold extends define("PLANS_NOT_SOLD", {
  kind: "not_found",
  meaning:
    "This treasury sells no plans, because its operator has set no receiving wallet or has connected no chain."
}) {}

export class NothingToRenew extends define("NOTHING_TO_RENEW", {
  kind: "conflict",
  meaning: "The account's plan has no end, so it cannot be renewed."
}) {}

/** What buying a plan is refused with, beside what x402 itself says of a payment. */
export const refusals = [PlansNotSold, NothingToRenew] as const

export const onboardAgent = {
  name: "onboard_agent",
  summary:
    "Opens an agent's account for a payment by x402. Without a payment it answers 402 with the price.",
  next: "Store apiKey, then call list_wallets and get_guide with it.",
  input: Schema.Struct(Facts.input),
  output: Schema.Struct(openedFields),
  refusals: [PaymentRequired, PlansNotSold, UnsupportedChain],
  example: { input: { plan: "personal", name: "Purchasing", contactEmail: "ada@example.com" } }
} satisfies Operation.OperationSpec

export const renewAgent = {
  name: "renew_agent",
  summary:
    "Extends the plan of the agent's account for a payment by x402; a different plan starts at once.",
  next: "get_policy_limits shows the plan and when it ends.",
  input: Schema.Struct({ plan: Facts.planToRenew }),
  output: Schema.Struct(renewedFields),
  refusals: [
    PaymentRequired,
    PlansNotSold,
    NothingToRenew,
    UnsupportedChain,
    Unauthenticated,
    InsufficientScope,
    AgentKeyRequired
  ],
  example: { input: { plan: "startup" } }
} satisfies Operation.OperationSpec
