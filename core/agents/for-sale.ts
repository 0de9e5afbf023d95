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
import { PaymentRequired } from "../settlements/refusals.ts"
import { openedFields, renewedFields } from "./bought.ts"
import * as Facts from "./facts.ts"

export class PlansNotSold extends define("PLANS_NOT_SOLD", {
  kind: "not_found",
  meaning:
    "This treasury sells no plans: its operator has named no wallet that they are paid to, or has connected no chain."
}) {}

export class NothingToRenew extends define("NOTHING_TO_RENEW", {
  kind: "conflict",
  meaning: "The account's plan never ends, so there is nothing to pay for."
}) {}

/** What buying a plan is refused with, beside what x402 itself says of a payment. */
export const refusals = [PlansNotSold, NothingToRenew] as const

export const onboardAgent = {
  name: "onboard_agent",
  summary:
    "Opens an agent's account for a payment by x402: without one it answers 402 with what a plan costs.",
  next: "Store apiKey, then list_wallets and get_guide with it.",
  input: Schema.Struct(Facts.input),
  output: Schema.Struct(openedFields),
  refusals: [PaymentRequired, PlansNotSold, UnsupportedChain],
  example: { input: { plan: "personal", name: "Purchasing", contactEmail: "ada@example.com" } }
} satisfies Operation.Described

export const renewAgent = {
  name: "renew_agent",
  summary:
    "Extends the plan of the agent's account for a payment by x402; another plan begins at once.",
  next: "get_policy_limits tells the plan and when it ends.",
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
} satisfies Operation.Described
