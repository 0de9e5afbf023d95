/** Queues, claims and concludes executions at times a test names; the queue is one for all accounts. */
import { Effect } from "effect"
import type { Execution } from "../../core/submissions/execution.ts"
import { type Claimed, Executions } from "../../core/submissions/execution-store.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"
import * as Stored from "./stored-rows.ts"

export const claimAt = (seconds: number, most = 100) =>
  Effect.flatMap(Executions, (executions) =>
    executions.claim({ now: Rows.at(seconds), leaseMs: 30_000, most })
  )

export const concludeAsSettled = ({ execution, lease }: Claimed) =>
  Effect.flatMap(Executions, (executions) =>
    executions.conclude(lease, SendingRows.settled(execution))
  )

/** What earlier tests left in the queue is settled first. */
export const emptyQueue = Effect.gen(function* () {
  let left = yield* claimAt(50_000_000, 1000)
  while (left.length > 0) {
    yield* Effect.forEach(left, concludeAsSettled, { discard: true })
    left = yield* claimAt(50_000_000, 1000)
  }
})

/** An execution of a proposal and a wallet of its own, not queued yet. */
export const anExecution = Effect.fnUntraced(function* (over: Partial<Execution> = {}) {
  const proposal = yield* Stored.proposal({ status: "executing", subStatus: "queued" })
  const wallet = yield* Stored.wallet(proposal.accountId, { chainId: Rows.aChainId() })
  return SendingRows.anExecution(proposal, wallet, over)
})

/** Queues an execution for each of these due times. */
export const queued = Effect.fnUntraced(function* (due: ReadonlyArray<number>) {
  const executions = yield* Executions
  return yield* Effect.forEach(due, (seconds) =>
    Effect.tap(anExecution({ nextLookAt: Rows.at(seconds) }), executions.queue)
  )
})

export const idsOf = (claimed: ReadonlyArray<Claimed>) =>
  claimed.map(({ execution }) => execution.proposalId)
