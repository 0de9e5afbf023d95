/** Gives an account its tier. What waits for more than the tier lets one transfer move is superseded. */
import { Effect } from "effect"
import { type Account, noSuchAccount } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { operator, record } from "../audit/record.ts"
import { supersedeAbove } from "./supersede-above.ts"

/** The account as it now is, and the ids of what was superseded. Call it inside a transaction. */
export const setTier = Effect.fnUntraced(function* (accountId: string, tier: Account["tier"]) {
  const accounts = yield* Accounts
  const before = yield* accounts.find(accountId)
  if (before === undefined) return yield* noSuchAccount()
  const account = { ...before, tier }
  const superseded = yield* supersedeAbove(
    account,
    `It exceeds the cap per transfer of the tier ${tier}.`
  )
  if (before.tier !== tier) {
    yield* accounts.retier(accountId, tier)
    yield* record({
      accountId,
      actor: operator,
      action: "account.tier_set",
      subjectType: "account",
      subjectId: accountId,
      facts: { from: before.tier, to: tier }
    })
  }
  return { account, superseded }
})
