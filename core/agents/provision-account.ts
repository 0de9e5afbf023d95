/**
 * Opens the account an agent has paid for, or extends its plan, in the transaction that ends the settlement. The
 * account, its key, a wallet on each connected chain, the purchase and the claim email stand together or not at all.
 */
import { DateTime, Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { openAccount } from "../accounts/open.ts"
import { record, system } from "../audit/record.ts"
import * as Address from "../chains/address.ts"
import { issue } from "../keys/create-key.ts"
import * as Usdc from "../money/usdc.ts"
import { Scope } from "../operation/caller.ts"
import { endOf } from "../policy/plan.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import { eraseAt, type Purchase, placeOf } from "../policy/purchase.ts"
import { Purchases } from "../policy/spending-ledger.ts"
import { Chains } from "../ports/chains.ts"
import { Secrets } from "../ports/secrets.ts"
import { createWallet } from "../wallets/create.ts"
import type { Settlement } from "../x402/settlement.ts"
import { sendClaimLink } from "./claim.ts"
import { read } from "./facts.ts"

/** What a settlement that was paid says of whose money it was, and where that can be seen. */
export const paymentOf = (settlement: Settlement) => {
  const { authorization, chainId, id: settlementId, txHash } = settlement
  return {
    chainId,
    txHash: Address.transactionKeyOf(chainId, txHash ?? ""),
    settlementId,
    amountMicro: Usdc.make(authorization.amountMicro),
    // The token moved it from whoever signed: its log's payer and the signer are one.
    payer: Address.shown(chainId, authorization.from)
  }
}

/** How a purchase stands in the audit log of its account. */
export const recordPurchase = (purchase: Purchase, action: string) =>
  record({
    accountId: purchase.accountId,
    actor: system,
    action,
    subjectType: "purchase",
    subjectId: purchase.settlementId,
    facts: {
      plan: purchase.plan,
      amount: Usdc.format(purchase.amountMicro),
      chainId: purchase.chainId,
      txHash: purchase.txHash,
      payer: purchase.payer
    }
  })

const openWallets = Effect.fnUntraced(function* (accountId: string) {
  const { connected } = yield* Chains
  const wanted = {
    accountId,
    name: "Main",
    isDefault: true,
    metadata: {},
    kind: "standard"
  } as const
  for (const { chain } of connected) {
    yield* createWallet({ ...wanted, chainId: chain.id, customer: null }, system)
  }
})

export const provisionAccount = Effect.fnUntraced(function* (
  settlement: Settlement,
  plan: Purchase["plan"],
  kept: unknown
) {
  const purchases = yield* Purchases
  if ((yield* purchases.ofSettlement(settlement.id)) !== undefined) return
  const { contactEmail, name } = yield* read(kept)
  const { plans } = yield* PolicySettings
  const payment = paymentOf(settlement)
  const paidAt = yield* DateTime.now
  const expiresAt = endOf({ tier: plan, subscriptionExpiresAt: null }, plan, plans, paidAt)
  const account = yield* openAccount({
    name,
    kind: "agent",
    tier: plan,
    fundingWallet: { chainId: payment.chainId, address: payment.payer },
    contactEmail,
    subscriptionExpiresAt: expiresAt
  })
  const accountId = account.id
  const wanted = { accountId, kind: "agent", label: "First key", expiresAt: null } as const
  const { key, text } = yield* issue({ ...wanted, scopes: Scope.literals })
  yield* openWallets(accountId)
  const purchase: Purchase = {
    ...payment,
    accountId,
    purpose: "onboarding",
    plan,
    paidAt,
    expiresAt,
    keyId: key.id,
    sealedKey: yield* (yield* Secrets).seal(
      placeOf({ accountId, settlementId: settlement.id }),
      text
    ),
    eraseAt: eraseAt(paidAt)
  }
  if (!(yield* purchases.record(purchase))) {
    return yield* Effect.die(new Error(`${payment.txHash} bought something before.`))
  }
  yield* recordPurchase(purchase, "account.bought")
  yield* sendClaimLink(account, system)
})

/** Call it after the account is locked. */
export const renewPlan = Effect.fnUntraced(function* (
  settlement: Settlement,
  accountId: string,
  plan: Purchase["plan"]
) {
  const accounts = yield* Accounts
  const purchases = yield* Purchases
  const account = yield* accounts.find(accountId)
  if (account === undefined || (yield* purchases.ofSettlement(settlement.id)) !== undefined) return
  const { plans } = yield* PolicySettings
  const paidAt = yield* DateTime.now
  const expiresAt = endOf(account, plan, plans, paidAt)
  const purchase: Purchase = {
    ...paymentOf(settlement),
    accountId,
    purpose: "renewal",
    plan,
    paidAt,
    expiresAt,
    keyId: null,
    sealedKey: null,
    eraseAt: null
  }
  if (!(yield* purchases.record(purchase))) {
    return yield* Effect.die(new Error(`${purchase.txHash} bought something before.`))
  }
  yield* accounts.subscribe(accountId, plan, expiresAt)
  yield* recordPurchase(purchase, "account.renewed")
})
