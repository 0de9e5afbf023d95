/**
 * Drives a settlement from its first row to its end. The result is read from the chain, never from a node's
 * reply. Every step may be repeated, here or on another replica.
 */
import { DateTime, Effect } from "effect"
import { claimMs } from "../background/holding.ts"
import { isCleared } from "../sending/nonce.ts"
import { soonestMs } from "../sending/progress.ts"
import { type Settlement, settled } from "../submissions/settlement.ts"
import { type Claimed, Settlements } from "../submissions/settlement-store.ts"
import { Submitter } from "../submissions/submitter.ts"
import { broadcast, carry, unseen } from "./carry.ts"
import { fail, finish, later, type Step } from "./progress.ts"

/** What failed is settled once its relayer nonce is used, so that nothing behind it is stuck. */
const clear = Effect.fnUntraced(function* (failed: Settlement) {
  // A chain that is away says nothing, and what was written of the failure stands.
  const cleared = Effect.catchTag(isCleared(failed), "ChainUnavailable", () =>
    Effect.succeed(false)
  )
  return (yield* cleared)
    ? ({ settlement: settled(failed), goesOn: false } satisfies Step)
    : yield* later(failed)
})

const failAndClear = Effect.fnUntraced(function* (claimed: Claimed, reason: string) {
  const { failed } = yield* fail(claimed, reason, (left) => left)
  return yield* clear(failed)
})

const follow = Effect.fnUntraced(function* (claimed: Claimed) {
  const { settlement } = claimed
  const { authorization, carriers } = settlement
  if (settlement.outcome === "failed") return yield* clear(settlement)
  const trace = yield* (yield* Submitter).trace(authorization, carriers)
  switch (trace._tag) {
    case "paid":
      return trace.isFinal
        ? yield* finish(claimed, trace.txHash)
        : yield* later({ ...settlement, reason: null, txHash: trace.txHash })
    case "impossible":
      return yield* failAndClear(claimed, "invalid_exact_evm_payload_authorization_valid_before")
    case "reverted":
      return trace.isFinal
        ? yield* failAndClear(claimed, "transaction_reverted")
        : yield* later({ ...settlement, reason: "transaction_reverted", txHash: null })
    case "outrun":
    case "unseen":
      return yield* unseen({ ...claimed, settlement: { ...settlement, txHash: null } })
  }
})

const stepOf = (claimed: Claimed) => {
  const { step } = claimed.settlement
  if (step === "signed") return carry(claimed)
  return step === "wrapped" ? broadcast(claimed.settlement) : follow(claimed)
}

/** Goes on with one claimed settlement until it has to wait; a chain that is away leaves it as it is. */
export const advance = Effect.fnUntraced(function* (claimed: Claimed) {
  const settlements = yield* Settlements
  let current = claimed
  while (true) {
    const from = current.settlement
    const { settlement, goesOn } = yield* stepOf(current).pipe(
      Effect.catchTag("ChainUnavailable", () => later(from, soonestMs))
    )
    if (!goesOn) return yield* settlements.conclude(claimed.lease, settlement)
    if (!(yield* settlements.note(claimed.lease, settlement))) return false
    current = { ...claimed, settlement }
  }
})

/** Claims settlements that are due, at most so many. */
export const claimSettlements = Effect.fnUntraced(function* (most: number) {
  const now = yield* DateTime.now
  return yield* (yield* Settlements).claim({ now, leaseMs: claimMs, most })
})
