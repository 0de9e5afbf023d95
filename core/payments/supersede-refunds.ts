/**
 * Supersedes waiting refunds of money that was allocated differently since. Call it in the transaction that
 * changed the allocation; confirming a refund checks the same again.
 */
import { Effect, Schema } from "effect"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { countsFor, isSame, refundSource, sourceIn } from "./refundable.ts"

const termsOf = Schema.decodeUnknownEffect(Schema.toCodecJson(Schema.Struct(refundSource)))

const changed = "The deposit was resolved differently after the refund was proposed."

/** Locks them before the request and the transfer, in the order a confirmation does. */
export const lockRefunds = Effect.fnUntraced(function* (
  accountId: string,
  sourceIds: ReadonlyArray<string>
) {
  const proposals = yield* Proposals
  const locked: Array<Proposal> = []
  for (const id of yield* proposals.waitingToRefund(accountId, sourceIds)) {
    const proposal = yield* proposals.lock(id)
    const isWaiting =
      proposal?.status === "pending_confirm" || proposal?.status === "requires_action"
    if (isWaiting) locked.push(proposal)
  }
  return locked
})

/** Of deposits and requests by their ids. */
export const supersedeRefunds = Effect.fnUntraced(function* (
  accountId: string,
  sourceIds: ReadonlyArray<string>,
  actor: string
) {
  for (const proposal of yield* lockRefunds(accountId, sourceIds)) {
    // The stored terms were encoded by the same schema; others are a bug.
    const meant = yield* Effect.orDie(termsOf(proposal.terms))
    if (isSame(meant.countedFor, yield* countsFor(accountId, sourceIn(meant)))) continue
    yield* move(proposal, { status: "superseded", statusReason: changed }, actor)
  }
})
