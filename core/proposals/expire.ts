/** Expires proposals nobody confirmed or approved in time; harmless on every replica at once. */
import { DateTime, Effect } from "effect"
import { system } from "../audit/record.ts"
import { expireAll, maxAtOnce } from "../background/chore.ts"
import { move } from "./move.ts"
import { Proposals } from "./proposal-store.ts"

const expireOne = Effect.fnUntraced(function* (proposalId: string) {
  const proposal = yield* (yield* Proposals).lock(proposalId)
  if (proposal?.status !== "pending_confirm" && proposal?.status !== "requires_action") return false
  if (DateTime.isGreaterThan(proposal.expiresAt, yield* DateTime.now)) return false
  yield* move(proposal, { status: "expired" }, system)
  return true
})

/** Expires what is due, one transaction each; says how many. One that fails holds up no other. */
export const expireProposals = Effect.gen(function* () {
  const proposals = yield* Proposals
  const overdue = Effect.flatMap(DateTime.now, (now) => proposals.overdue(now, maxAtOnce))
  return yield* expireAll("Expiring a proposal", overdue, expireOne)
})
