/**
 * All stores on SQL as one layer. It asks for an engine whose database is migrated, and keeps nothing in
 * this process that a crash would lose.
 */
import { Layer } from "effect"
import * as Accounts from "./accounts.ts"
import * as Approvals from "./approvals.ts"
import * as Atomically from "./atomically.ts"
import * as Audit from "./audit.ts"
import * as Ceremonies from "./ceremonies.ts"
import * as Challenges from "./challenges.ts"
import * as ClaimLinkResends from "./claim-link-resends.ts"
import * as Cosigners from "./cosigners.ts"
import * as Cursors from "./cursors.ts"
import * as Deliveries from "./deliveries.ts"
import * as Enrolments from "./enrolments.ts"
import * as Events from "./events.ts"
import * as Executions from "./executions.ts"
import * as GovernanceRequests from "./governance-requests.ts"
import * as Humans from "./humans.ts"
import * as Idempotency from "./idempotency.ts"
import * as Keys from "./keys.ts"
import * as Letters from "./letters.ts"
import * as Notifier from "./notifier.ts"
import * as PaymentClaims from "./payment-claims.ts"
import * as PaymentRequests from "./payment-requests.ts"
import * as Proposals from "./proposals.ts"
import * as Provisioning from "./provisioning.ts"
import * as Purchases from "./purchases.ts"
import * as Recipients from "./recipients.ts"
import * as Refunds from "./refunds.ts"
import * as Sessions from "./sessions.ts"
import * as Settlements from "./settlements.ts"
import * as Spending from "./spending.ts"
import * as Tasks from "./tasks.ts"
import * as Transfers from "./transfers.ts"
import * as Wallets from "./wallets.ts"
import * as WebhookEndpoints from "./webhook-endpoints.ts"

export const layer = Layer.mergeAll(
  Accounts.layer,
  Approvals.layer,
  Atomically.layer,
  Audit.layer,
  Ceremonies.layer,
  Challenges.layer,
  Cosigners.layer,
  Cursors.layer,
  Deliveries.layer,
  Enrolments.layer,
  Events.layer,
  Executions.layer,
  GovernanceRequests.layer,
  Humans.layer,
  Idempotency.layer,
  Keys.layer,
  Letters.layer,
  PaymentRequests.layer,
  Proposals.layer,
  Provisioning.layer,
  Purchases.layer,
  Recipients.layer,
  ClaimLinkResends.layer,
  Sessions.layer,
  PaymentClaims.layer,
  Refunds.layer,
  Settlements.layer,
  Spending.layer,
  Tasks.layer,
  Transfers.layer,
  Notifier.layer,
  Wallets.layer,
  WebhookEndpoints.layer
)
