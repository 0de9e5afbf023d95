/**
 * Gives an account its tier. What waits for more than the tier lets one transfer move is superseded;
 * what is executing goes on, and what is proposed at this very moment is judged anew when it is confirmed.
 */
import { DateTime, Effect } from "effect"
import { type Account, noSuchAccount } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { operator, record } from "../audit/record.ts"
import * as Page from "../operation/page.ts"
import type { Limits } from "../policy/limits.ts"
import { tierAt } from "../policy/plan.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import { spentBy } from "./execute.ts"
import { type AnyKind, kindOf } from "./kind.ts"
import { move } from "./move.ts"
import type { Proposal } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import { termsOf } from "./terms.ts"

const pageSize = 100

/** Everything of the account that waits in this state. */
const waitingIn = Effect.fnUntraced(function* (
  accountId: string,
  status: "pending_confirm" | "requires_action"
) {
  const proposals = yield* Proposals
  const found: Array<Proposal> = []
  let request: Page.Request | undefined = { limit: pageSize }
  while (request !== undefined) {
    const { next, rows }: Page.Page<Proposal> = yield* proposals.list(
      accountId,
      { status },
      request
    )
    found.push(...rows)
    request = next === undefined ? undefined : { limit: pageSize, after: next }
  }
  return found
})

/** Whether what it risks is above the limit that bounds its kind; the hard cap bounds them all. */
const isAbove = Effect.fnUntraced(function* (proposal: Proposal, limits: Limits) {
  const { exposure }: AnyKind = yield* kindOf(proposal)
  if (exposure === undefined) return false
  const { amountMicro, limit } = exposure(yield* termsOf(proposal))
  return (
    amountMicro > limits.hardCapMicro ||
    (limit === "per_transfer" && amountMicro > limits.perTransferMicro)
  )
})

const supersede = Effect.fnUntraced(function* (proposalId: string, tier: string) {
  const proposal = yield* (yield* Proposals).lock(proposalId)
  if (proposal?.status !== "pending_confirm" && proposal?.status !== "requires_action") return false
  const statusReason = `It exceeds the cap per transfer of the tier ${tier}.`
  yield* move(proposal, { status: "superseded", statusReason }, operator)
  return true
})

/** The account as it now is, and the ids of what was superseded. Call it inside a transaction. */
export const setTier = Effect.fnUntraced(function* (accountId: string, tier: Account["tier"]) {
  const accounts = yield* Accounts
  const account = yield* accounts.find(accountId)
  if (account === undefined) return yield* noSuchAccount()
  // A plan that has run out keeps the account at the smallest tier, whichever it is given.
  const judgedBy = tierAt({ ...account, tier }, yield* DateTime.now)
  const limits = (yield* PolicySettings).tiers[judgedBy]
  const waiting = [
    ...(yield* waitingIn(accountId, "pending_confirm")),
    ...(yield* waitingIn(accountId, "requires_action"))
  ]
  const tooMuch = yield* Effect.filter(waiting, (each) => isAbove(each, limits))
  const above = yield* Effect.filter(tooMuch, (each) =>
    Effect.map(spentBy(each), (spent) => spent?.isCapped !== false)
  )
  // Proposals before the account, as a confirmation locks them, and the oldest first, as others do.
  const inOrder = above.toSorted(Page.newestFirst).toReversed()
  const superseded = yield* Effect.filter(inOrder, ({ id }) => supersede(id, tier))
  if (account.tier !== tier) {
    yield* accounts.retier(accountId, tier)
    yield* record({
      accountId,
      actor: operator,
      action: "account.tier_set",
      subjectType: "account",
      subjectId: accountId,
      facts: { from: account.tier, to: tier }
    })
  }
  return { account: { ...account, tier }, superseded: superseded.map(({ id }) => id) }
})
