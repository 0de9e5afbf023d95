/**
 * Gives an agent's account a plan until an instant, or for good, as its operator decides: for who paid in another way, or
 * was promised more. What waits for more than a smaller plan lets one transfer move is superseded; what waits when a plan
 * ends by itself is judged anew when it is confirmed.
 */
import { DateTime, Effect } from "effect"
import { type Account, noSuchAccount } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { operator, record } from "../audit/record.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { supersedeAbove } from "./supersede-above.ts"

/**
 * The account as it now is, and the ids of what was superseded; `until` null for a plan that never ends. Call it inside a
 * transaction.
 */
export const setPlan = Effect.fnUntraced(function* (
  accountId: string,
  plan: Account["tier"],
  until: DateTime.Utc | null
) {
  const accounts = yield* Accounts
  const before = yield* accounts.find(accountId)
  if (before === undefined) return yield* noSuchAccount()
  if (before.kind !== "agent") {
    return yield* new InvalidRequest({
      param: "account",
      message: "Only an agent's account has a plan; set a tier for a developer's account."
    })
  }
  const account = { ...before, tier: plan, subscriptionExpiresAt: until }
  const superseded = yield* supersedeAbove(
    account,
    `It exceeds the cap per transfer of the plan ${plan}.`
  )
  yield* accounts.subscribe(accountId, plan, until)
  yield* record({
    accountId,
    actor: operator,
    action: "account.plan_set",
    subjectType: "account",
    subjectId: accountId,
    facts: {
      from: before.tier,
      to: plan,
      until: until === null ? "never" : DateTime.formatIso(until)
    }
  })
  return { account, superseded }
})
