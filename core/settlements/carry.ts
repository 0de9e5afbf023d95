/**
 * The steps of a settlement up to the network: try, wrap, hand over, replace. Each writes down what it is
 * about to do before it does it; only bytes that were written down are ever handed over.
 */
import { DateTime, Effect } from "effect"
import { relayerOutOfGas } from "../operation/metrics.ts"
import { Atomically } from "../ports/atomically.ts"
import { maxCarriers, replaceAfterMs, replacementFees } from "../sending/carry.ts"
import { fillsGap, isUsable, useOwn } from "../sending/nonce.ts"
import type { Carrier } from "../submissions/execution.ts"
import { Executions } from "../submissions/execution-store.ts"
import { canPay } from "../submissions/relayer.ts"
import type { Settlement } from "../submissions/settlement.ts"
import { type Claimed, Settlements } from "../submissions/settlement-store.ts"
import { type Conditions, Submitter } from "../submissions/submitter.ts"
import { fail, finish, later, onward, type Step } from "./progress.ts"
import { reasonOf } from "./reason.ts"

const gasWaitMs = 15_000

const waitForGas = Effect.fnUntraced(function* (settlement: Settlement) {
  const { chainId } = settlement
  const relayer = yield* (yield* Submitter).relayerAddress(chainId)
  yield* Effect.logWarning(`The relayer ${relayer} on ${chainId} is out of gas; fund it.`)
  yield* relayerOutOfGas(chainId)
  return yield* later({ ...settlement, reason: "relayer_out_of_gas" }, gasWaitMs)
})

/** Takes the relayer's next nonce and writes down who holds it, in one transaction. */
const take = Effect.fnUntraced(function* (
  { settlement, lease }: Claimed,
  { relayerCount }: Conditions
) {
  const executions = yield* Executions
  const settlements = yield* Settlements
  const relayer = yield* (yield* Submitter).relayerAddress(settlement.chainId)
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const relayerNonce = yield* executions.takeRelayerNonce(
        settlement.chainId,
        relayer,
        relayerCount
      )
      const holding: Settlement = { ...settlement, relayer, relayerNonce }
      if (!(yield* settlements.note(lease, holding))) {
        return yield* Effect.die(new Error(`The lease of settlement ${settlement.id} was lost.`))
      }
      return holding
    })
  )
})

/** Nothing of ours carries it, so it failed, unless somebody else had the token take it. */
const refused = Effect.fnUntraced(function* (
  claimed: Claimed,
  conditions: Conditions,
  reason: string
) {
  const { settlement } = claimed
  const trace = yield* (yield* Submitter).trace(settlement.authorization, [])
  if (trace._tag !== "paid") {
    const { isOurs, failed } = yield* fail(claimed, reason)
    if (isOurs && (yield* isUsable(settlement, conditions))) {
      yield* useOwn(settlement, conditions)
    }
    return { settlement: { ...failed, step: "settled", nextLookAt: null }, goesOn: false } as Step
  }
  if (!trace.isFinal) return yield* later({ ...settlement, txHash: trace.txHash })
  const step = yield* finish(claimed, trace.txHash)
  if (yield* isUsable(settlement, conditions)) yield* useOwn(settlement, conditions)
  return step
})

export const carry = Effect.fnUntraced(function* (claimed: Claimed) {
  const { settlement } = claimed
  const { authorization } = settlement
  const payouts = yield* Submitter
  const conditions = yield* payouts.conditions(settlement.chainId)
  const trial = yield* payouts.simulate(authorization)
  if (trial._tag === "would_revert") {
    return yield* refused(claimed, conditions, reasonOf(trial.reason))
  }
  if (!canPay(conditions, trial.gas)) return yield* waitForGas(settlement)
  const isHeld = yield* isUsable(settlement, conditions)
  const holding = isHeld ? settlement : yield* take(claimed, conditions)
  const { maxFeePerGas, maxPriorityFeePerGas } = conditions
  const fees = { maxFeePerGas, maxPriorityFeePerGas, gas: trial.gas }
  const wrapped = yield* payouts.wrap(authorization, holding.relayerNonce as number, fees)
  const carrier: Carrier = { ...wrapped, ...fees, at: yield* DateTime.now }
  return yield* onward({ ...holding, step: "wrapped", reason: null, carriers: [carrier] })
})

const handOver = Effect.fnUntraced(function* (settlement: Settlement) {
  const newest = settlement.carriers.at(-1) as Carrier
  // Whether the node took it is seen on the chain; a reply would prove nothing either way.
  yield* Effect.ignore((yield* Submitter).broadcast(settlement.chainId, newest.raw))
  return yield* later({ ...settlement, step: "broadcast" })
})

export const broadcast = handOver

/** Higher fees, written down before it is handed over; the bytes before it stay good. */
const replace = Effect.fnUntraced(function* (settlement: Settlement, conditions: Conditions) {
  const { authorization, carriers, relayerNonce } = settlement
  const fees = replacementFees(carriers.at(-1) as Carrier, conditions)
  const wrapped = yield* (yield* Submitter).wrap(authorization, relayerNonce as number, fees)
  const carrier: Carrier = { ...wrapped, ...fees, at: yield* DateTime.now }
  return yield* onward({ ...settlement, step: "wrapped", carriers: [...carriers, carrier] })
})

/** What no block shows is handed over again, and replaced when that does not help. */
export const unseen = Effect.fnUntraced(function* (claimed: Claimed) {
  const { settlement } = claimed
  const newest = settlement.carriers.at(-1) as Carrier
  const ageMs = DateTime.toEpochMillis(yield* DateTime.now) - DateTime.toEpochMillis(newest.at)
  if (ageMs < replaceAfterMs) return yield* handOver(settlement)
  const conditions = yield* (yield* Submitter).conditions(settlement.chainId)
  const isHeld = yield* isUsable(settlement, conditions)
  if (isHeld && (yield* fillsGap(settlement, conditions))) return yield* handOver(settlement)
  if (settlement.carriers.length >= maxCarriers) return yield* handOver(settlement)
  // The token takes one authorization once, so a second carrier under another nonce pays nothing twice.
  return isHeld
    ? yield* replace(settlement, conditions)
    : yield* onward(yield* take(claimed, conditions))
})
