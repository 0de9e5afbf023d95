/**
 * The steps of a signed send or approval up to the network: wrap, hand over, replace. Each writes down
 * what it is about to do before it does it; only bytes that were written down are ever handed over.
 */
import { DateTime, Effect } from "effect"
import { relayerOutOfGas } from "../operation/metrics.ts"
import type { Authorization, Carrier, Execution } from "../submissions/execution.ts"
import type { Claimed } from "../submissions/execution-store.ts"
import { canPay } from "../submissions/relayer.ts"
import { type Conditions, Submitter } from "../submissions/submitter.ts"
import { fillsGap, isCleared, isUsable, leave, take } from "./nonce.ts"
import { end, fail, later, onward, type Step, settled, tell } from "./progress.ts"
import { validForSeconds } from "./sign.ts"

/** A carrier unseen for so long is replaced by one that pays more. */
export const replaceAfterMs = 30_000
/** A quarter more, where nodes ask for an eighth or a tenth. */
const raised = (fee: bigint) => (fee * 5n) / 4n + 1n
export const maxCarriers = 20

const waitForGas = Effect.fnUntraced(function* (execution: Execution) {
  const relayer = yield* (yield* Submitter).relayerAddress(execution.chainId)
  yield* Effect.logWarning(`The relayer ${relayer} on ${execution.chainId} is out of gas; fund it.`)
  yield* relayerOutOfGas(execution.chainId)
  yield* tell(execution, { subStatus: "queued", statusReason: "The relayer is out of gas." })
  return yield* later(execution, 15_000)
})

/**
 * Whether to retry with a fresh permit nonce: for at most `validForSeconds` after creation. Safe because no
 * transaction carries this permit yet.
 */
const mayCountAnew = Effect.fnUntraced(function* ({ act, createdAt }: Execution) {
  const endsAt = DateTime.add(createdAt, { seconds: validForSeconds })
  return act === "permit" && DateTime.isLessThan(yield* DateTime.now, endsAt)
})

/**
 * Nothing of ours carries it, so it can only be paid already when the records are older than the chain;
 * whoever restored them must not see it fail.
 */
const refused = Effect.fnUntraced(function* (
  claimed: Claimed,
  authorization: Authorization,
  { conditions, reason }: { readonly conditions: Conditions; readonly reason: string }
) {
  const { execution } = claimed
  const trace = yield* (yield* Submitter).trace(authorization, [])
  if (trace._tag === "outrun" || (trace._tag === "unseen" && (yield* mayCountAnew(execution)))) {
    yield* tell(execution, { subStatus: "queued", statusReason: reason })
    return yield* later({ ...execution, step: "queued", authorization: null })
  }
  if (trace._tag !== "paid") {
    const step = yield* fail(claimed, reason)
    yield* leave(execution, conditions)
    return step
  }
  if (!trace.isFinal) return yield* later(execution)
  yield* end(execution, { status: "completed", statusReason: null, txHashes: [trace.txHash] })
  yield* leave(execution, conditions)
  return { execution: settled(execution), goesOn: false } satisfies Step
})

/** As it was before it was signed. What carried it, if anything did, can never take effect. */
const unsigned = (execution: Execution): Execution => ({
  ...execution,
  step: "queued",
  authorization: null,
  relayer: null,
  relayerNonce: null,
  carriers: []
})

export const carry = Effect.fnUntraced(function* (claimed: Claimed, authorization: Authorization) {
  const { execution } = claimed
  const payouts = yield* Submitter
  const conditions = yield* payouts.conditions(execution.chainId)
  // Nothing that carries it exists yet, so a stale authorization is simply signed anew.
  if (conditions.chainTime + validForSeconds / 2 > authorization.validBefore) {
    return yield* onward(unsigned(execution))
  }
  const trial = yield* payouts.simulate(authorization)
  if (trial._tag === "would_revert") {
    return yield* refused(claimed, authorization, { conditions, reason: trial.reason })
  }
  if (!canPay(conditions, trial.gas)) return yield* waitForGas(execution)
  const isHeld = yield* isUsable(execution, conditions)
  const holding = isHeld ? execution : yield* take(claimed, conditions)
  const { maxFeePerGas, maxPriorityFeePerGas } = conditions
  const fees = { maxFeePerGas, maxPriorityFeePerGas, gas: trial.gas }
  const wrapped = yield* payouts.wrap(authorization, holding.relayerNonce as number, fees)
  const carrier: Carrier = { ...wrapped, ...fees, at: yield* DateTime.now }
  return yield* onward({ ...holding, step: "wrapped", carriers: [carrier] })
})

export const broadcast = Effect.fnUntraced(function* (execution: Execution) {
  const newest = execution.carriers.at(-1) as Carrier
  yield* tell(execution, {
    subStatus: "broadcast",
    txHashes: execution.carriers.map((carrier) => carrier.txHash)
  })
  // Whether the node took it is seen on the chain; a reply would prove nothing either way.
  yield* (yield* Submitter)
    .broadcast(execution.chainId, newest.raw)
    .pipe(Effect.catchTag("ChainUnavailable", () => tell(execution, { subStatus: "unknown" })))
  return yield* later({ ...execution, step: "broadcast" })
})

const greater = (one: bigint, other: bigint) => (one > other ? one : other)

/** What a carrier in another's place pays: more than nodes ask for, and no less than a new one. */
export const replacementFees = (newest: Carrier, conditions: Conditions) => ({
  maxFeePerGas: greater(raised(newest.maxFeePerGas), conditions.maxFeePerGas),
  maxPriorityFeePerGas: greater(
    raised(newest.maxPriorityFeePerGas),
    conditions.maxPriorityFeePerGas
  ),
  gas: newest.gas
})

/** Higher fees, written down before it is handed over; the bytes before it stay good. */
const replace = Effect.fnUntraced(function* (
  execution: Execution,
  authorization: Authorization,
  conditions: Conditions
) {
  const fees = replacementFees(execution.carriers.at(-1) as Carrier, conditions)
  const payouts = yield* Submitter
  const wrapped = yield* payouts.wrap(authorization, execution.relayerNonce as number, fees)
  const carrier: Carrier = { ...wrapped, ...fees, at: yield* DateTime.now }
  return yield* onward({
    ...execution,
    step: "wrapped",
    carriers: [...execution.carriers, carrier]
  })
})

/**
 * Another permit of the wallet took this one's count, and that is final: no carrier of it can ever take
 * effect. Once its relayer nonce is used up, the next count is signed and carried for itself.
 */
export const signAnew = Effect.fnUntraced(function* (execution: Execution) {
  return (yield* isCleared(execution))
    ? yield* onward(unsigned(execution))
    : yield* later(execution)
})

const handOverAgain = Effect.fnUntraced(function* (execution: Execution) {
  const newest = execution.carriers.at(-1) as Carrier
  yield* (yield* Submitter).broadcast(execution.chainId, newest.raw)
  return yield* later(execution)
})

export const unseen = Effect.fnUntraced(function* (claimed: Claimed, authorization: Authorization) {
  const { execution } = claimed
  const newest = execution.carriers.at(-1) as Carrier
  const ageMs = DateTime.toEpochMillis(yield* DateTime.now) - DateTime.toEpochMillis(newest.at)
  if (ageMs < replaceAfterMs) return yield* handOverAgain(execution)
  const conditions = yield* (yield* Submitter).conditions(execution.chainId)
  const isHeld = yield* isUsable(execution, conditions)
  if (isHeld && (yield* fillsGap(execution, conditions))) return yield* handOverAgain(execution)
  if (execution.carriers.length >= maxCarriers) return yield* handOverAgain(execution)
  // The token takes one authorization once, so a second carrier under another nonce pays nothing twice.
  return isHeld
    ? yield* replace(execution, authorization, conditions)
    : yield* onward(yield* take(claimed, conditions))
})
