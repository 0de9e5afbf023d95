/** The in-memory stores keep every contract. */
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Signer from "../../../adapters/memory/signer.ts"
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
import * as IdsContract from "../../contracts/ids.contract.ts"
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
import * as SignerContract from "../../contracts/signer.contract.ts"
import * as Spending from "../../contracts/spending.contract.ts"
import * as SpendingEnds from "../../contracts/spending-ends.contract.ts"
import * as Tasks from "../../contracts/tasks.contract.ts"
import * as Transfers from "../../contracts/transfers.contract.ts"
import * as Wallets from "../../contracts/wallets.contract.ts"
import * as WebhookEndpoints from "../../contracts/webhook-endpoints.contract.ts"

const books = Memory.layer()

for (const { suite } of [
  Accounts,
  Approvals,
  Atomically,
  Audit,
  AuditTree,
  Ceremonies,
  Challenges,
  Cosigners,
  CosignerRules,
  Cursors,
  Deliveries,
  DeliveryCare,
  DeliveryLeases,
  Enrolments,
  Events,
  ExecutionLeases,
  Executions,
  GovernanceRequests,
  Humans,
  Idempotency,
  IdempotencyCallers,
  Keys,
  Leased,
  Letters,
  PaymentRequests,
  Proposals,
  ProposalsOfKeys,
  Provisioning,
  Purchases,
  Recipients,
  ClaimLinkResends,
  Sessions,
  PaymentClaims,
  Refunds,
  Settlements,
  Spending,
  SpendingEnds,
  KeySpending,
  Tasks,
  SecondPayments,
  Transfers,
  Notifier,
  Wallets,
  WebhookEndpoints
]) {
  suite("memory", books)
}

IdsContract.suite("memory", Ids.layer(1))
SignerContract.suite("memory", Signer.layer)
