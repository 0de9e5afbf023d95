/**
 * Pauses an account: from the commit on nothing of it that moves money is proposed, confirmed, voted for or
 * signed. Getting paid goes on, and what has its transaction written down already is carried to its end.
 */
import { DateTime, Effect } from "effect"
import { operator, record } from "../audit/record.ts"
import { define } from "../operation/refusal.ts"
import { noSuchAccount } from "./account.ts"
import { Accounts } from "./account-store.ts"

export class AccountPaused extends define("ACCOUNT_PAUSED", {
  kind: "forbidden",
  meaning: "The account is paused; it moves no money until its operator resumes it."
}) {}

export const isPaused = Effect.fnUntraced(function* (accountId: string) {
  const account = yield* (yield* Accounts).find(accountId)
  return account !== undefined && account.pausedAt !== null
})

/** Refuses while the account is paused. */
export const requireRunning = Effect.fnUntraced(function* (accountId: string) {
  if (!(yield* isPaused(accountId))) return
  return yield* new AccountPaused({
    message: "This account is paused and moves no money; ask its operator to resume it."
  })
})

/** Sets or ends the pause; doing it twice is no change. Call it inside a transaction. */
const turn = Effect.fnUntraced(function* (accountId: string, toPaused: boolean, actor: string) {
  const accounts = yield* Accounts
  const account = yield* accounts.find(accountId)
  if (account === undefined) return yield* noSuchAccount()
  if ((account.pausedAt !== null) === toPaused) return account
  const pausedAt = toPaused ? yield* DateTime.now : null
  yield* accounts.pause(accountId, pausedAt)
  yield* record({
    accountId,
    actor,
    action: toPaused ? "account.paused" : "account.resumed",
    subjectType: "account",
    subjectId: accountId
  })
  return { ...account, pausedAt }
})

/** Anybody of the account may stop it; only the operator lets it go on. */
export const pauseAccount = (accountId: string, actor = operator) => turn(accountId, true, actor)

export const resumeAccount = (accountId: string) => turn(accountId, false, operator)
