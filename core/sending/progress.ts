/**
 * How one step of a send ends: what is written of the execution, what the proposal shows of it, and when
 * to look again. The end of a proposal and of its reservation are one transaction.
 */
import { DateTime, Effect, Equal } from "effect"
import { system } from "../audit/record.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { Atomically } from "../ports/atomically.ts"
import { Chains } from "../ports/chains.ts"
import { kindOf } from "../proposals/kind.ts"
import { type Change, move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import type { Execution } from "../submissions/execution.ts"
import { type Claimed, Executions } from "../submissions/execution-store.ts"

export const soonestMs = 2000

export type Step = { readonly execution: Execution; readonly goesOn: boolean }

export const later = Effect.fnUntraced(function* (execution: Execution, waitMs?: number) {
  const { connected } = yield* Chains
  const pollMs = connected.find((each) => each.chain.id === execution.chainId)?.pollMs ?? soonestMs
  const now = yield* DateTime.now
  const milliseconds = waitMs ?? Math.min(pollMs, soonestMs)
  const step: Step = {
    execution: { ...execution, nextLookAt: DateTime.add(now, { milliseconds }), updatedAt: now },
    goesOn: false
  }
  return step
})

export const onward = Effect.fnUntraced(function* (execution: Execution) {
  const step: Step = {
    execution: { ...execution, updatedAt: yield* DateTime.now },
    goesOn: true
  }
  return step
})

const says = (proposal: Proposal, change: Change): boolean =>
  Object.entries(change).every(([field, value]) =>
    Equal.equals(proposal[field as keyof Change], value)
  )

/**
 * Tells how it stands on the proposal, while that is executing. It is looked at every two seconds and mostly
 * stands as it did, so what the proposal says already is neither locked nor written.
 */
export const tell = Effect.fnUntraced(function* (execution: Execution, change: Change) {
  const proposals = yield* Proposals
  const before = yield* proposals.find(execution.accountId, execution.proposalId)
  if (before !== undefined && says(before, change)) return
  yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const proposal = yield* proposals.lock(execution.proposalId)
      if (proposal?.status === "executing") yield* move(proposal, change, system)
    })
  )
})

/** Ends the proposal one way or the other, with its reservation, in one transaction. */
export const end = Effect.fnUntraced(function* (execution: Execution, change: Change) {
  const spending = yield* Spending
  const proposals = yield* Proposals
  yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const proposal = yield* proposals.lock(execution.proposalId)
      if (proposal?.status !== "executing") return
      const isDone = change.status === "completed"
      yield* isDone
        ? spending.consume(execution.proposalId)
        : spending.release(execution.proposalId)
      yield* (yield* kindOf(proposal)).ended(proposal, isDone)
      yield* move(proposal, { ...change, subStatus: null }, system)
    })
  )
})

export const settled = (execution: Execution): Execution => ({
  ...execution,
  step: "settled",
  nextLookAt: null
})

/**
 * Ends as failed what nobody carries, or what can never take effect. Only while the lease is ours is that
 * so: whoever took the work over meanwhile may have handed it to the network, or have signed it anew, and
 * then it is theirs to end.
 */
export const fail = Effect.fnUntraced(function* (
  { execution, lease }: Claimed,
  statusReason: string,
  left = settled(execution)
) {
  const executions = yield* Executions
  const step: Step = { execution: left, goesOn: false }
  yield* (yield* Atomically).run(
    Effect.gen(function* () {
      if (!(yield* executions.note(lease, step.execution))) return
      yield* end(execution, { status: "failed", statusReason })
    })
  )
  return step
})
