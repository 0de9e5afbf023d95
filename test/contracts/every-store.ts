/** The contracts of every store: a storage that keeps them can hold the treasury. */
import type { Layer } from "effect"
import type { AnyStore, Name } from "../../core/treasury/stores.ts"
import * as Accounts from "./accounts.contract.ts"
import * as AddressCase from "./address-case.contract.ts"
import * as Approvals from "./approvals.contract.ts"
import * as Atomically from "./atomically.contract.ts"
import * as Audit from "./audit.contract.ts"
import * as AuditArchive from "./audit-archive.contract.ts"
import * as AuditTree from "./audit-tree.contract.ts"
import * as Challenges from "./challenges.contract.ts"
import * as ClaimLinkResends from "./claim-link-resends.contract.ts"
import * as CosignerRules from "./cosigner-rules.contract.ts"
import * as Cosigners from "./cosigners.contract.ts"
import * as Cursors from "./cursors.contract.ts"
import * as Deliveries from "./deliveries.contract.ts"
import * as DeliveryAge from "./delivery-age.contract.ts"
import * as DeliveryCare from "./delivery-care.contract.ts"
import * as DeliveryLeases from "./delivery-leases.contract.ts"
import * as Enrolments from "./enrolments.contract.ts"
import * as Events from "./events.contract.ts"
import * as ForgottenBytes from "./forgotten-bytes.contract.ts"
import * as GovernanceRequests from "./governance-requests.contract.ts"
import * as Humans from "./humans.contract.ts"
import * as Idempotency from "./idempotency.contract.ts"
import * as IdempotencyCallers from "./idempotency-callers.contract.ts"
import * as KeySpending from "./key-spending.contract.ts"
import * as Keys from "./keys.contract.ts"
import * as Leased from "./leased.contract.ts"
import * as Notices from "./notices.contract.ts"
import * as Notifier from "./notifier.contract.ts"
import * as OtherIds from "./other-ids.contract.ts"
import * as OutboundEmails from "./outbound-emails.contract.ts"
import * as Outlay from "./outlay.contract.ts"
import * as PasskeyChallenges from "./passkey-challenges.contract.ts"
import * as PaymentClaims from "./payment-claims.contract.ts"
import * as PaymentRequests from "./payment-requests.contract.ts"
import * as Promises from "./promises.contract.ts"
import * as Proposals from "./proposals.contract.ts"
import * as ProposalsOfKeys from "./proposals-of-keys.contract.ts"
import * as Provisioning from "./provisioning.contract.ts"
import * as Purchases from "./purchases.contract.ts"
import * as Quotes from "./quotes.contract.ts"
import * as Recipients from "./recipients.contract.ts"
import * as Refunds from "./refunds.contract.ts"
import * as RelayerNonces from "./relayer-nonces.contract.ts"
import * as Sales from "./sales.contract.ts"
import * as SecondPayments from "./second-payments.contract.ts"
import * as SeenFills from "./seen-fills.contract.ts"
import * as Sessions from "./sessions.contract.ts"
import * as SettingsStore from "./settings-store.contract.ts"
import * as SettledBalances from "./settled-balances.contract.ts"
import * as Spending from "./spending.contract.ts"
import * as SpendingCharges from "./spending-charges.contract.ts"
import * as SpendingEnds from "./spending-ends.contract.ts"
import * as SpendingRaises from "./spending-raises.contract.ts"
import * as SubmissionLeases from "./submission-leases.contract.ts"
import * as SubmissionStore from "./submission-store.contract.ts"
import * as Tasks from "./tasks.contract.ts"
import * as Transfers from "./transfers.contract.ts"
import * as UsdcImplementations from "./usdc-implementations.contract.ts"
import * as UsedNonces from "./used-nonces.contract.ts"
import * as WaitStore from "./wait-store.contract.ts"
import * as Wallets from "./wallets.contract.ts"
import * as WebhookEndpoints from "./webhook-endpoints.contract.ts"

interface Contract {
  readonly suite: (name: string, stores: Layer.Layer<AnyStore>) => void
}

const contracts: { readonly [Of in Name]: readonly [Contract, ...ReadonlyArray<Contract>] } = {
  Accounts: [Accounts],
  Approvals: [Approvals],
  Atomically: [Atomically],
  Audit: [Audit, AuditArchive, AuditTree],
  PasskeyChallenges: [PasskeyChallenges],
  Challenges: [Challenges],
  ClaimLinkResends: [ClaimLinkResends],
  Cosigners: [Cosigners, CosignerRules],
  Cursors: [Cursors],
  Deliveries: [Deliveries, DeliveryAge, DeliveryCare, DeliveryLeases, Leased],
  Enrolments: [Enrolments],
  Events: [Events],
  GovernanceRequests: [GovernanceRequests],
  Humans: [Humans],
  Idempotency: [Idempotency, IdempotencyCallers],
  Keys: [Keys],
  OutboundEmails: [OutboundEmails],
  Outlay: [Outlay],
  Notices: [Notices],
  Notifier: [Notifier],
  PaymentClaims: [PaymentClaims],
  PaymentRequests: [PaymentRequests, SecondPayments],
  Proposals: [Proposals, ProposalsOfKeys],
  Provisioning: [Provisioning],
  Purchases: [Purchases],
  Quotes: [Quotes],
  Recipients: [Recipients],
  Refunds: [Refunds],
  Sales: [Sales],
  SeenFills: [SeenFills],
  Sessions: [Sessions],
  SettingsStore: [SettingsStore],
  SettledBalances: [SettledBalances],
  Spending: [Spending, SpendingCharges, SpendingEnds, SpendingRaises, KeySpending],
  SubmissionStore: [SubmissionStore, SubmissionLeases, ForgottenBytes, RelayerNonces, Promises],
  Tasks: [Tasks],
  Transfers: [Transfers],
  UsdcImplementations: [UsdcImplementations],
  UsedNonces: [UsedNonces],
  WaitStore: [WaitStore],
  Wallets: [Wallets, AddressCase, OtherIds],
  WebhookEndpoints: [WebhookEndpoints]
}

export const everyStore = (name: string, stores: Layer.Layer<AnyStore>): void => {
  for (const { suite } of Object.values(contracts).flat()) suite(name, stores)
}
