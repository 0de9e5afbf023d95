/**
 * Gives an agent's account a plan until an instant, or for good, as its operator decides: for who paid in
 * another way, or was promised more. What waits is judged anew when it is confirmed, like after any end.
 */
import { DateTime, Effect } from "effect"
import { type Account, noSuchAccount } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { operator, record } from "../audit/record.ts"
import { InvalidRequest } from "../operation/refusal.ts"

/** The account as it now is; `until` null for a plan that never ends. Call it inside a transaction. */
export const setPlan = Effect.fnUntraced(function* (
  accountId: string,
  plan: Account["tier"],
  until: DateTime.Utc | null
) {
  const accounts = yield* Accounts
  const account = yield* accounts.lock(accountId)
  if (account === undefined) return yield* noSuchAccount()
  if (account.kind !== "agent") {
    return yield* new InvalidRequest({
      param: "account",
      message: "Only an agent's account has a plan; set a tier for a developer's account."
    })
  }
  yield* accounts.subscribe(accountId, plan, until)
  yield* record({
    accountId,
    actor: operator,
    action: "account.plan_set",
    subjectType: "account",
    subjectId: accountId,
    facts: {
      from: account.tier,
      to: plan,
      until: until === null ? "never" : DateTime.formatIso(until)
    }
  })
  return { ...account, tier: plan, subscriptionExpiresAt: until }
})
