/** All contracts that the records on SQL must keep, on whichever engine. */
import { Layer } from "effect"
import type * as Stores from "../../../adapters/postgres/stores.ts"
import * as Accounts from "../../contracts/accounts.contract.ts"
import * as Approvals from "../../contracts/approvals.contract.ts"
import * as Atomically from "../../contracts/atomically.contract.ts"
import * as Audit from "../../contracts/audit.contract.ts"
import * as AuditTree from "../../contracts/audit-tree.contract.ts"
import * as Ceremonies from "../../contracts/ceremonies.contract.ts"
import * as Challenges from "../../contracts/challenges.contract.ts"
import * as ClaimLinkResends from "../../contracts/claim-link-resends.contract.ts"
import * as CosignerRules from "../../contracts/cosigner-rules.contract.ts"
import * as Cosigners from "../../contracts/cosigners.contract.ts"
import * as Cursors from "../../contracts/cursors.contract.ts"
import * as Deliveries from "../../contracts/deliveries.contract.ts"
import * as DeliveryCare from "../../contracts/delivery-care.contract.ts"
import * as DeliveryLeases from "../../contracts/delivery-leases.contract.ts"
import * as Enrolments from "../../contracts/enrolments.contract.ts"
import * as Events from "../../contracts/events.contract.ts"
import * as ExecutionLeases from "../../contracts/execution-leases.contract.ts"
import * as Executions from "../../contracts/executions.contract.ts"
import * as GovernanceRequests from "../../contracts/governance-requests.contract.ts"
import * as Humans from "../../contracts/humans.contract.ts"
import * as Idempotency from "../../contracts/idempotency.contract.ts"
import * as IdempotencyCallers from "../../contracts/idempotency-callers.contract.ts"
import * as KeySpending from "../../contracts/key-spending.contract.ts"
import * as Keys from "../../contracts/keys.contract.ts"
import * as Leased from "../../contracts/leased.contract.ts"
import * as Letters from "../../contracts/letters.contract.ts"
import * as Notifier from "../../contracts/notifier.contract.ts"
import * as PaymentClaims from "../../contracts/payment-claims.contract.ts"
import * as PaymentRequests from "../../contracts/payment-requests.contract.ts"
import * as Proposals from "../../contracts/proposals.contract.ts"
import * as ProposalsOfKeys from "../../contracts/proposals-of-keys.contract.ts"
import * as Provisioning from "../../contracts/provisioning.contract.ts"
import * as Purchases from "../../contracts/purchases.contract.ts"
import * as Recipients from "../../contracts/recipients.contract.ts"
import * as Refunds from "../../contracts/refunds.contract.ts"
import * as SecondPayments from "../../contracts/second-payments.contract.ts"
import * as Sessions from "../../contracts/sessions.contract.ts"
import * as Settlements from "../../contracts/settlements.contract.ts"
import * as Spending from "../../contracts/spending.contract.ts"
import * as SpendingEnds from "../../contracts/spending-ends.contract.ts"
import * as Tasks from "../../contracts/tasks.contract.ts"
import * as Transfers from "../../contracts/transfers.contract.ts"
import * as Wallets from "../../contracts/wallets.contract.ts"
import * as WebhookEndpoints from "../../contracts/webhook-endpoints.contract.ts"

type AllBooks = Layer.Success<typeof Stores.layer>

export const everyBook = <E>(name: string, books: Layer.Layer<AllBooks, E>) => {
  const kept = Layer.orDie(books)
  Accounts.suite(name, kept)
  Approvals.suite(name, kept)
  Atomically.suite(name, kept)
  Audit.suite(name, kept)
  AuditTree.suite(name, kept)
  Ceremonies.suite(name, kept)
  Challenges.suite(name, kept)
  Cosigners.suite(name, kept)
  CosignerRules.suite(name, kept)
  Cursors.suite(name, kept)
  Deliveries.suite(name, kept)
  DeliveryCare.suite(name, kept)
  DeliveryLeases.suite(name, kept)
  Enrolments.suite(name, kept)
  Events.suite(name, kept)
  ExecutionLeases.suite(name, kept)
  Executions.suite(name, kept)
  GovernanceRequests.suite(name, kept)
  Humans.suite(name, kept)
  Idempotency.suite(name, kept)
  IdempotencyCallers.suite(name, kept)
  Keys.suite(name, kept)
  Leased.suite(name, kept)
  Letters.suite(name, kept)
  PaymentRequests.suite(name, kept)
  Proposals.suite(name, kept)
  ProposalsOfKeys.suite(name, kept)
  Provisioning.suite(name, kept)
  Purchases.suite(name, kept)
  Recipients.suite(name, kept)
  ClaimLinkResends.suite(name, kept)
  Sessions.suite(name, kept)
  PaymentClaims.suite(name, kept)
  Refunds.suite(name, kept)
  Settlements.suite(name, kept)
  Spending.suite(name, kept)
  SpendingEnds.suite(name, kept)
  KeySpending.suite(name, kept)
  Tasks.suite(name, kept)
  SecondPayments.suite(name, kept)
  Transfers.suite(name, kept)
  Notifier.suite(name, kept)
  Wallets.suite(name, kept)
  WebhookEndpoints.suite(name, kept)
}
