/**
 * Every store, in one list. Each storage brings a module with a layer for each, and the tests a contract for
 * each; the compiler names the one that is missing.
 */
import { type Context, Layer } from "effect"
import { Accounts, Keys } from "../accounts/account-store.ts"
import { SettingsStore } from "../accounts/settings-store.ts"
import { ClaimLinkResends } from "../agents/claim-link-resends.ts"
import { Audit } from "../audit/audit-store.ts"
import { Approvals, Cosigners } from "../cosigners/cosigner-store.ts"
import { UsedNonces } from "../evm/used-nonce-store.ts"
import { Challenges, GovernanceRequests } from "../governance/governance-store.ts"
import { Enrolments, Humans, PasskeyChallenges, Sessions } from "../humans/human-store.ts"
import { OutboundEmails } from "../mail/email-store.ts"
import { Notices } from "../notices/notice-store.ts"
import { Idempotency } from "../operation/idempotency-store.ts"
import { Provisioning } from "../payments/provisioning-store.ts"
import { Refunds } from "../payments/refund-ledger.ts"
import { PaymentRequests } from "../payments/request-store.ts"
import { SettledBalances } from "../payments/settled-balance-store.ts"
import { Cursors, PaymentClaims, Transfers } from "../payments/transfer-store.ts"
import { Outlay } from "../policy/outlay-ledger.ts"
import { Purchases, Spending } from "../policy/spending-ledger.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { Tasks } from "../ports/tasks.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { Quotes } from "../quotes/quote-store.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { Sales } from "../sales/sale-store.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { SeenFills } from "../swaps/seen-fills-store.ts"
import { UsdcImplementations } from "../tokens/usdc-implementation-store.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { Deliveries, Events } from "../webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../webhooks/endpoint-store.ts"

export const stores = {
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
  SubmissionStore,
  Tasks,
  Transfers,
  UsdcImplementations,
  UsedNonces,
  WaitStore,
  Wallets,
  WebhookEndpoints
}

export type Name = keyof typeof stores
export type Store<Of extends Name> = Context.Service.Identifier<(typeof stores)[Of]>

/** Whoever holds this holds every store. */
export type AnyStore = { [Of in Name]: Store<Of> }[Name]

/** A module for each store, as `import * as Accounts from "./accounts.ts"` gives it. */
export type Modules = {
  readonly [Of in Name]: { readonly layer: Layer.Layer<Store<Of>, unknown, unknown> }
}

type Layers<Brought extends Modules> = Brought[Name]["layer"]

/** One storage: all stores as one layer. */
export const layerOf = <Brought extends Modules>(
  modules: Brought
): Layer.Layer<AnyStore, Layer.Error<Layers<Brought>>, Layer.Services<Layers<Brought>>> => {
  // Each name has its layer, and these are all that any of them fails with or asks for.
  const layers = Object.values<unknown>(modules) as ReadonlyArray<{
    readonly layer: Layer.Layer<
      AnyStore,
      Layer.Error<Layers<Brought>>,
      Layer.Services<Layers<Brought>>
    >
  }>
  return Layer.mergeAll(Layer.empty, ...layers.map(({ layer }) => layer))
}
