/** Ends proposals that have not begun: by their caller's wish, or because nobody confirmed or approved them in time. */
import { DateTime, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import { expireAll, maxAtOnce } from "../background/chore.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { find, ProposalId } from "./find.ts"
import { type AnyKind, kindOf } from "./kind.ts"
import { move } from "./move.ts"
import { type Proposal, ProposalNotConfirmable } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import * as View from "./view.ts"

/** Asks what executes to stop, once; its kind and its watches do what can still be done. */
const stop = Effect.fnUntraced(function* (proposal: Proposal, keyId: string) {
  if (proposal.stopAskedAt !== null) return proposal
  const now = yield* DateTime.now
  const stopping = yield* move(proposal, { stopAskedAt: now }, keyId)
  yield* (yield* WaitStore).stop(proposal.id, now)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("waits"))
  yield* record({
    accountId: proposal.accountId,
    actor: keyId,
    action: "proposal.stop_asked",
    subjectType: "proposal",
    subjectId: proposal.id
  })
  return stopping
})

/** Cancels a proposal that has not begun; what executes is asked to stop, where its kind can. */
export const cancelProposal = Operation.make("cancel_proposal", {
  summary:
    "Cancels a proposal that waits for confirmation or approval, or asks a trade that executes to stop.",
  next: "Make a new proposal if it is still needed. One that executes may still be done: poll get_proposal until it has ended.",
  scope: "proposals:write",
  sideEffect: "write",
  authority: byScope,
  input: { proposalId: ProposalId },
  output: View.fields,
  refusals: [NotFound, ProposalNotConfirmable],
  example: { input: { proposalId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ proposalId }) {
    const { id } = yield* find(proposalId)
    const proposal = (yield* (yield* Proposals).lock(id)) as Proposal
    if (proposal.status === "cancelled") return yield* View.view(proposal)
    const { keyId } = yield* Caller
    const { isStoppable }: AnyKind = yield* kindOf(proposal)
    if (proposal.status === "executing" && isStoppable === true) {
      return yield* View.view(yield* stop(proposal, keyId))
    }
    if (proposal.status !== "pending_confirm" && proposal.status !== "requires_action") {
      return yield* new ProposalNotConfirmable({
        message: `This proposal is ${proposal.status} and can no longer be cancelled.`,
        details: { status: proposal.status },
        next: { operation: "get_proposal", args: { proposalId: id } }
      })
    }
    return yield* View.view(yield* move(proposal, { status: "cancelled" }, keyId))
  })
})

/** One in a transaction, as what a proposal holds of its account is locked with it. */
const expireOne = Effect.fnUntraced(function* ([proposalId = ""]: ReadonlyArray<string>) {
  const proposal = yield* (yield* Proposals).lock(proposalId)
  if (proposal?.status !== "pending_confirm" && proposal?.status !== "requires_action") return 0
  if (DateTime.isGreaterThan(proposal.expiresAt, yield* DateTime.now)) return 0
  yield* move(proposal, { status: "expired" }, system)
  return 1
})

/** Expires what is due, one transaction each; says how many. One that fails holds up no other. */
export const expireProposals = Effect.gen(function* () {
  const proposals = yield* Proposals
  const overdue = Effect.flatMap(DateTime.now, (now) => proposals.overdue(now, maxAtOnce))
  return yield* expireAll("Expiring a proposal", overdue, expireOne, { rows: 1, atOnce: 4 })
})
