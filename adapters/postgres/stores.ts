/**
 * All stores on SQL as one layer. It asks for an engine whose database is migrated, and keeps nothing in
 * this process that a crash would lose.
 */
import { Layer } from "effect"
import { layerOf } from "../../core/treasury/stores.ts"
import * as SettingsStore from "./account-settings.ts"
import * as Accounts from "./accounts.ts"
import * as Approvals from "./approvals.ts"
import * as Atomically from "./atomically.ts"
import * as Audit from "./audit.ts"
import * as Challenges from "./challenges.ts"
import * as ClaimLinkResends from "./claim-link-resends.ts"
import * as Cosigners from "./cosigners.ts"
import * as Cursors from "./cursors.ts"
import * as Deliveries from "./deliveries.ts"
import * as Enrolments from "./enrolments.ts"
import * as Events from "./events.ts"
import * as GovernanceRequests from "./governance-requests.ts"
import * as Humans from "./humans.ts"
import * as Idempotency from "./idempotency.ts"
import * as Keys from "./keys.ts"
import * as Notices from "./notices.ts"
import * as Notifier from "./notifier.ts"
import * as OutboundEmails from "./outbound-emails.ts"
import * as Outlay from "./outlay.ts"
import * as PasskeyChallenges from "./passkey-challenges.ts"
import * as PaymentClaims from "./payment-claims.ts"
import * as PaymentRequests from "./payment-requests.ts"
import * as Proposals from "./proposals.ts"
import * as Provisioning from "./provisioning.ts"
import * as Purchases from "./purchases.ts"
import * as Quotes from "./quotes.ts"
import * as Recipients from "./recipients.ts"
import * as Refunds from "./refunds.ts"
import * as Sales from "./sales.ts"
import * as SeenFills from "./seen-fills.ts"
import * as Sessions from "./sessions.ts"
import * as SettledBalances from "./settled-balances.ts"
import * as Spending from "./spending.ts"
import * as Submissions from "./submissions.ts"
import * as Tasks from "./tasks.ts"
import * as Together from "./together.ts"
import * as Transfers from "./transfers.ts"
import * as UsdcImplementations from "./usdc-implementations.ts"
import * as UsedNonces from "./used-nonces.ts"
import * as Waits from "./waits.ts"
import * as WakeUps from "./wake-ups.ts"
import * as Wallets from "./wallets.ts"
import * as WebhookEndpoints from "./webhook-endpoints.ts"

export const layer = layerOf({
  Accounts,
  Approvals,
  Atomically,
  Audit,
  PasskeyChallenges,
  Challenges,
  ClaimLinkResends,
  Cosigners,
  Cursors,
  Deliveries,
  Enrolments,
  Events,
  GovernanceRequests,
  Humans,
  Idempotency,
  Keys,
  OutboundEmails,
  Outlay,
  Notices,
  Notifier,
  PaymentClaims,
  PaymentRequests,
  Proposals,
  Provisioning,
  Purchases,
  Quotes,
  Recipients,
  Refunds,
  Sales,
  SeenFills,
  Sessions,
  SettingsStore,
  SettledBalances,
  Spending,
  SubmissionStore: Submissions,
  Tasks,
  Transfers,
  UsdcImplementations,
  UsedNonces,
  WaitStore: Waits,
  Wallets,
  WebhookEndpoints
}).pipe(Layer.provide(WakeUps.layer), Layer.merge(Together.layer))
