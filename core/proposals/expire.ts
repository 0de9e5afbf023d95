/** Expires proposals nobody confirmed or approved in time; harmless on every replica at once. */
import { DateTime, Effect } from "effect"
import { system } from "../audit/record.ts"
import { Atomically } from "../ports/atomically.ts"
import { Proposals } from "../ports/proposals.ts"
import { move } from "./move.ts"

const batch = 100

const expireOne = Effect.fnUntraced(function* (proposalId: string) {
  const proposal = yield* (yield* Proposals).lock(proposalId)
  if (proposal?.status !== "pending_confirm" && proposal?.status !== "requires_action") return false
  if (DateTime.isGreaterThan(proposal.expiresAt, yield* DateTime.now)) return false
  yield* move(proposal, { status: "expired" }, system)
  return true
})

/** Expires what is due, one transaction each; says how many. */
export const expireProposals = Effect.gen(function* () {
  const due = yield* (yield* Proposals).overdue(yield* DateTime.now, batch)
  const atomically = yield* Atomically
  const done = yield* Effect.forEach(due, (id) => atomically.run(expireOne(id)))
  return done.filter(Boolean).length
})
