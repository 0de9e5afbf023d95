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
  meaning: "The account is paused; it moves no money until it is resumed."
}) {}

export const isPaused = Effect.fnUntraced(function* (accountId: string) {
  const account = yield* (yield* Accounts).find(accountId)
  return account !== undefined && account.pausedAt !== null
})

/** Refuses while the account is paused. */
export const requireRunning = Effect.fnUntraced(function* (accountId: string) {
  if (!(yield* isPaused(accountId))) return
  return yield* new AccountPaused({
    message:
      "This account is paused and moves no money; ask whoever paused it, or its operator, to resume it."
  })
})

/** Who paused an account that more than one person did: none of them ends it alone. */
const several = "several"

/** Whose pause it is once one more has paused too: nobody takes a pause over from whoever stands above them. */
const pausedByBoth = (one: string | null, other: string): string => {
  if (one === null || one === other) return other
  return one === operator || other === operator ? operator : several
}

/** Sets or ends the pause; ending it twice is no change. Call it inside a transaction. */
const turn = Effect.fnUntraced(function* (accountId: string, toPaused: boolean, actor: string) {
  const accounts = yield* Accounts
  const account = yield* accounts.lock(accountId)
  if (account === undefined) return yield* noSuchAccount()
  const pausedBy = toPaused ? pausedByBoth(account.pausedBy, actor) : null
  if ((account.pausedAt !== null) === toPaused && account.pausedBy === pausedBy) return account
  const pausedAt = toPaused ? (account.pausedAt ?? (yield* DateTime.now)) : null
  yield* accounts.pause(accountId, pausedAt, pausedBy)
  yield* record({
    accountId,
    actor,
    action: toPaused ? "account.paused" : "account.resumed",
    subjectType: "account",
    subjectId: accountId
  })
  return { ...account, pausedAt, pausedBy }
})

/** Anybody who acts for the account may stop it; whoever alone did lets it go on, and so do an owner and the operator. */
export const pauseAccount = (accountId: string, actor = operator) => turn(accountId, true, actor)

export const resumeAccount = (accountId: string) => turn(accountId, false, operator)

/** A person of the account who wants its pause to end. */
interface Resuming {
  readonly actor: string
  readonly isOwner: boolean
}

/** Whether somebody may end a pause: it is their own, or they are an owner and the operator did not make it. */
export const mayResume = (pausedBy: string | null, { actor, isOwner }: Resuming): boolean =>
  pausedBy === actor || (isOwner && pausedBy !== operator)

/** Ends a pause by whoever made it, or by an owner. Call it inside a transaction. */
export const resumeByActor = Effect.fnUntraced(function* (accountId: string, by: Resuming) {
  const { actor } = by
  const account = yield* (yield* Accounts).lock(accountId)
  if (account === undefined) return yield* noSuchAccount()
  if (account.pausedAt !== null && !mayResume(account.pausedBy, by)) {
    const whose = account.pausedBy === operator ? "the operator" : "somebody else"
    return yield* new AccountPaused({
      message: `This account was paused by ${whose}. Whoever paused it, or somebody above them, resumes it.`
    })
  }
  return yield* turn(accountId, false, actor)
})
