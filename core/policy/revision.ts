/**
 * The limits an account is judged by now, as a numbered revision. When its tier gives other limits than
 * the newest revision holds, a new one is written; a proposal names the one it was judged by.
 */
import { DateTime, Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { record, system } from "../audit/record.ts"
import type { Limits, Revision } from "./limits.ts"
import { fallback, tierAt } from "./plan.ts"
import { PolicySettings } from "./policy-settings.ts"
import { Spending } from "./spending-ledger.ts"

const isSame = (revision: Revision, limits: Limits): boolean =>
  revision.perTransferMicro === limits.perTransferMicro &&
  revision.dailyMicro === limits.dailyMicro &&
  revision.monthlyMicro === limits.monthlyMicro &&
  revision.hardCapMicro === limits.hardCapMicro

/** The revision in force, as a read: a tier that changed since shows as the number it will get. */
export const revisionOf = Effect.fnUntraced(function* (accountId: string) {
  const account = yield* (yield* Accounts).find(accountId)
  const now = yield* DateTime.now
  const tier = account === undefined ? fallback : tierAt(account, now)
  const limits = (yield* PolicySettings).tiers[tier]
  const newest = yield* (yield* Spending).revision(accountId)
  if (newest !== undefined && newest.tier === tier && isSame(newest, limits)) return newest
  const revision: Revision = {
    ...limits,
    accountId,
    number: (newest?.number ?? 0) + 1,
    tier,
    createdAt: now
  }
  return revision
})

/** The revision in force, written down when it is new. Call it in the transaction that relies on it. */
export const currentRevision = Effect.fnUntraced(function* (accountId: string) {
  const spending = yield* Spending
  const revision = yield* revisionOf(accountId)
  const newest = yield* spending.revision(accountId)
  if (newest?.number === revision.number) return newest
  if (!(yield* spending.revise(revision))) return (yield* spending.revision(accountId)) ?? revision
  yield* record({
    accountId,
    actor: system,
    action: "policy.revised",
    subjectType: "policy_revision",
    subjectId: String(revision.number),
    facts: { tier: revision.tier }
  })
  return revision
})
