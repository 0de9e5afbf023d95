/** Extends the plan an agent has paid for again, in the transaction that ends the settlement, once. */
import { DateTime, Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { endOf } from "../policy/plan.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import type { Purchase } from "../policy/purchase.ts"
import { Purchases } from "../policy/purchase-store.ts"
import type { Settlement } from "../submissions/settlement.ts"
import { paymentOf, recordPurchase } from "./open-bought.ts"

/** Call it after the account is locked. */
export const renewBought = Effect.fnUntraced(function* (
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
    ...(yield* paymentOf(settlement)),
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
