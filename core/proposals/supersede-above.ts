/**
 * Ends what waits for more than an account's limits let one transfer move, as after a smaller tier or plan. What is
 * executing goes on, and what is proposed at this very moment is judged anew when it is confirmed.
 */
import { DateTime, Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import { operator } from "../audit/record.ts"
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

const supersede = Effect.fnUntraced(function* (proposalId: string, statusReason: string) {
  const proposal = yield* (yield* Proposals).lock(proposalId)
  if (proposal?.status !== "pending_confirm" && proposal?.status !== "requires_action") return false
  yield* move(proposal, { status: "superseded", statusReason }, operator)
  return true
})

/**
 * Judged by the account as it is to be. The ids of what was superseded. Call it inside a transaction that holds no account
 * yet, as a confirmation locks proposals first.
 */
export const supersedeAbove = Effect.fnUntraced(function* (account: Account, statusReason: string) {
  // A plan that has run out keeps the account at the smallest tier, whichever it is given.
  const limits = (yield* PolicySettings).tiers[tierAt(account, yield* DateTime.now)]
  const waiting = [
    ...(yield* waitingIn(account.id, "pending_confirm")),
    ...(yield* waitingIn(account.id, "requires_action"))
  ]
  const tooMuch = yield* Effect.filter(waiting, (each) => isAbove(each, limits))
  const above = yield* Effect.filter(tooMuch, (each) =>
    Effect.map(spentBy(each), (spent) => spent?.isCapped !== false)
  )
  // The oldest first, as others do.
  const inOrder = above.toSorted(Page.newestFirst).toReversed()
  const superseded = yield* Effect.filter(inOrder, ({ id }) => supersede(id, statusReason))
  return superseded.map(({ id }) => id)
})
