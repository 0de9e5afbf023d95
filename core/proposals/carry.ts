/**
 * The steps of a signed send up to the network: wrap, hand over, replace. Each writes down what it is
 * about to do before it does it; only bytes that were written down are ever handed over.
 */
import { DateTime, Effect } from "effect"
import { relayerOutOfGas } from "../meter.ts"
import { Atomically } from "../ports/atomically.ts"
import { type Claimed, Executions } from "../ports/executions.ts"
import { type Conditions, Payouts } from "../ports/payouts.ts"
import type { Authorization, Carrier, Execution } from "./execution.ts"
import { end, fail, later, onward, type Step, settled, tell } from "./progress.ts"
import { validForSeconds } from "./sign.ts"

/** A carrier unseen for so long is replaced by one that pays more. */
const replaceAfterMs = 30_000
/** A quarter more, where nodes ask for an eighth or a tenth. */
const raised = (fee: bigint) => (fee * 5n) / 4n + 1n
const mostCarriers = 20

const waitForGas = Effect.fnUntraced(function* (execution: Execution) {
  const relayer = yield* (yield* Payouts).relayerAddress(execution.chainId)
  yield* Effect.logWarning(`The relayer ${relayer} on ${execution.chainId} is out of gas; fund it.`)
  yield* relayerOutOfGas(execution.chainId)
  yield* tell(execution, { subStatus: "queued", statusReason: "The relayer is out of gas." })
  return yield* later(execution, 15_000)
})

/** Takes the relayer's next nonce and keeps the signed bytes, in one transaction: no gap, no lost bytes. */
const wrap = Effect.fnUntraced(function* (
  { execution, lease }: Claimed,
  authorization: Authorization,
  conditions: Conditions
) {
  const executions = yield* Executions
  const payouts = yield* Payouts
  const at = yield* DateTime.now
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const relayerNonce = yield* executions.takeRelayerNonce(
        execution.chainId,
        conditions.relayerCount
      )
      const { maxFeePerGas, maxPriorityFeePerGas } = conditions
      const fees = { maxFeePerGas, maxPriorityFeePerGas }
      const wrapped = yield* payouts.wrap(authorization, relayerNonce, fees)
      const next: Execution = {
        ...execution,
        step: "wrapped",
        relayerNonce,
        carriers: [{ ...wrapped, ...fees, at }]
      }
      if (!(yield* executions.note(lease, next))) {
        return yield* Effect.die(new Error(`The lease of ${execution.proposalId} was lost.`))
      }
      return next
    })
  )
})

/**
 * Nothing of ours carries it, so it can only be paid already when the books are older than the chain;
 * whoever restored them must not see it fail.
 */
const refused = Effect.fnUntraced(function* (
  claimed: Claimed,
  authorization: Authorization,
  reason: string
) {
  const { execution } = claimed
  const trace = yield* (yield* Payouts).trace(authorization, [])
  if (trace._tag !== "paid") return yield* fail(claimed, reason)
  if (!trace.isFinal) return yield* later(execution)
  yield* end(execution, { status: "completed", statusReason: null, txHashes: [trace.txHash] })
  return { execution: settled(execution), goesOn: false } satisfies Step
})

export const carry = Effect.fnUntraced(function* (claimed: Claimed, authorization: Authorization) {
  const { execution } = claimed
  const payouts = yield* Payouts
  const conditions = yield* payouts.conditions(execution.chainId)
  // Nothing that carries it exists yet, so a stale authorization is simply signed anew.
  if (conditions.chainTime + validForSeconds / 2 > authorization.validBefore) {
    return yield* onward({ ...execution, step: "queued", authorization: null })
  }
  if (!conditions.hasGas) return yield* waitForGas(execution)
  const trial = yield* payouts.simulate(authorization)
  if (trial._tag === "would_revert") return yield* refused(claimed, authorization, trial.reason)
  return yield* onward(yield* wrap(claimed, authorization, conditions))
})

export const broadcast = Effect.fnUntraced(function* (execution: Execution) {
  const newest = execution.carriers.at(-1) as Carrier
  yield* tell(execution, {
    subStatus: "broadcast",
    txHashes: execution.carriers.map((carrier) => carrier.txHash)
  })
  // Whether the node took it is seen on the chain; a reply would prove nothing either way.
  yield* (yield* Payouts)
    .broadcast(execution.chainId, newest.raw)
    .pipe(Effect.catchTag("ChainUnavailable", () => tell(execution, { subStatus: "unknown" })))
  return yield* later({ ...execution, step: "broadcast" })
})

/** The same nonce with higher fees, written down before it is handed over; the bytes before it stay good. */
const replace = Effect.fnUntraced(function* (execution: Execution, authorization: Authorization) {
  const newest = execution.carriers.at(-1) as Carrier
  const fees = {
    maxFeePerGas: raised(newest.maxFeePerGas),
    maxPriorityFeePerGas: raised(newest.maxPriorityFeePerGas)
  }
  const wrapped = yield* (yield* Payouts).wrap(
    authorization,
    execution.relayerNonce as number,
    fees
  )
  const carrier = { ...wrapped, ...fees, at: yield* DateTime.now }
  return yield* onward({
    ...execution,
    step: "wrapped",
    carriers: [...execution.carriers, carrier]
  })
})

/** A failed send keeps its relayer nonce in motion until it is used, so that nothing behind it is stuck. */
export const clearNonce = Effect.fnUntraced(function* (execution: Execution) {
  const payouts = yield* Payouts
  const { relayerCount } = yield* payouts.conditions(execution.chainId)
  if (execution.relayerNonce === null || relayerCount > execution.relayerNonce) {
    return { execution: settled(execution), goesOn: false } satisfies Step
  }
  yield* payouts.broadcast(execution.chainId, (execution.carriers.at(-1) as Carrier).raw)
  return yield* later(execution)
})

export const unseen = Effect.fnUntraced(function* (
  execution: Execution,
  authorization: Authorization
) {
  const newest = execution.carriers.at(-1) as Carrier
  const ageMs = DateTime.toEpochMillis(yield* DateTime.now) - DateTime.toEpochMillis(newest.at)
  const payouts = yield* Payouts
  if (ageMs >= replaceAfterMs && execution.carriers.length < mostCarriers) {
    return yield* replace(execution, authorization)
  }
  yield* payouts.broadcast(execution.chainId, newest.raw)
  return yield* later(execution)
})
