/** How one step of a settlement ends: when to look again, and how its end is written down together with what it pays. */
import { DateTime, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Chains } from "../ports/chains.ts"
import { soonestMs } from "../sending/progress.ts"
import { Purposes } from "../submissions/purposes.ts"
import { type Settlement, settled } from "../submissions/settlement.ts"
import { type Claimed, Settlements } from "../submissions/settlement-store.ts"

export type Step = { readonly settlement: Settlement; readonly goesOn: boolean }

export const later = Effect.fnUntraced(function* (settlement: Settlement, waitMs?: number) {
  const { connected } = yield* Chains
  const pollMs = connected.find((each) => each.chain.id === settlement.chainId)?.pollMs ?? soonestMs
  const now = yield* DateTime.now
  const milliseconds = waitMs ?? Math.min(pollMs, soonestMs)
  const step: Step = {
    settlement: { ...settlement, nextLookAt: DateTime.add(now, { milliseconds }), updatedAt: now },
    goesOn: false
  }
  return step
})

export const onward = Effect.fnUntraced(function* (settlement: Settlement) {
  const step: Step = {
    settlement: { ...settlement, updatedAt: yield* DateTime.now },
    goesOn: true
  }
  return step
})

/** Writes an end down with what it means, in one transaction; only while the lease is ours is it our say. */
const end = Effect.fnUntraced(function* (lease: string, ended: Settlement) {
  const settlements = yield* Settlements
  const { followUp, lockSubject } = yield* Purposes
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      yield* lockSubject(ended.subject)
      const isOurs = yield* settlements.note(lease, ended)
      if (!isOurs) return false
      yield* followUp(ended)
      return true
    })
  )
})

/**
 * Ends as failed what nothing of ours will make the token take. `left` is where that leaves it: settled, or
 * still waiting for its relayer nonce to be used.
 */
export const fail = Effect.fnUntraced(function* (
  { lease, settlement }: Claimed,
  reason: string,
  left: (failed: Settlement) => Settlement = settled
) {
  const now = yield* DateTime.now
  const failed = { ...settlement, outcome: "failed" as const, reason, txHash: null, updatedAt: now }
  const isOurs = yield* end(lease, left(failed))
  return { isOurs, failed }
})

/** Ends as paid what the token took in a block that is final. */
export const finish = Effect.fnUntraced(function* ({ lease, settlement }: Claimed, txHash: string) {
  const updatedAt = yield* DateTime.now
  const paid = settled({ ...settlement, outcome: "paid", reason: null, txHash, updatedAt })
  yield* end(lease, paid)
  return { settlement: paid, goesOn: false } satisfies Step
})
