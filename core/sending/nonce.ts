/**
 * The relayer's nonces, which the chain takes in order and without a gap. A nonce is taken and written
 * down before anything is signed under it; one that nothing of ours will ever use is used up by us.
 */
import { Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import type { Carriage, Carrier, Execution } from "../submissions/execution.ts"
import { type Claimed, Executions } from "../submissions/execution-store.ts"
import { defaultGas } from "../submissions/relayer.ts"
import { type Conditions, type Fees, Submitter } from "../submissions/submitter.ts"
import { later, type Step, settled } from "./progress.ts"

/** Takes the relayer's next nonce for an execution and writes down that it holds it, in one transaction. */
export const take = Effect.fnUntraced(function* (
  { execution, lease }: Claimed,
  { relayerCount }: Conditions
) {
  const executions = yield* Executions
  const { chainId, proposalId } = execution
  const relayer = yield* (yield* Submitter).relayerAddress(chainId)
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const relayerNonce = yield* executions.takeRelayerNonce(chainId, relayer, relayerCount)
      const holding: Execution = { ...execution, relayer, relayerNonce }
      if (!(yield* executions.note(lease, holding))) {
        return yield* Effect.die(new Error(`The lease of ${proposalId} was lost.`))
      }
      return holding
    })
  )
})

/** Whether a nonce it holds can still be used: by the relayer that carries now, and by nothing else before. */
export const isUsable = Effect.fnUntraced(function* (
  { chainId, relayer, relayerNonce }: Omit<Carriage, "carriers">,
  { relayerMined }: Conditions
) {
  if (relayerNonce === null) return false
  const current = yield* (yield* Submitter).relayerAddress(chainId)
  return relayer === current && relayerMined <= relayerNonce
})

/** Fees move while a filler waits, and it is never raised. */
const generously = ({ maxFeePerGas, maxPriorityFeePerGas }: Conditions, gas: bigint): Fees => ({
  maxFeePerGas: maxFeePerGas * 2n,
  maxPriorityFeePerGas,
  gas
})

/** Uses a nonce up. Whether the node takes it is seen by the relayer's count, at a later look. */
const use = Effect.fnUntraced(function* (chainId: string, nonce: number, fees: Fees) {
  const payouts = yield* Submitter
  const raw = yield* payouts.fill(chainId, nonce, fees)
  yield* Effect.ignore(payouts.broadcast(chainId, raw))
})

const maxFilledAtOnce = 32

/**
 * Whether the chain waits for nonces before this one's that nobody will use, as after it was set back
 * under these records; some of them are used up then.
 */
export const fillsGap = Effect.fnUntraced(function* (carriage: Carriage, conditions: Conditions) {
  const { chainId, carriers, relayer, relayerNonce } = carriage
  const { relayerCount } = conditions
  if (relayer === null || relayerNonce === null || relayerCount >= relayerNonce) return false
  if (yield* (yield* Executions).holdsNonce(chainId, relayer, relayerCount, relayerNonce)) {
    return false
  }
  const before = Math.min(relayerNonce, relayerCount + maxFilledAtOnce)
  yield* Effect.logWarning(
    `The relayer ${relayer} on ${chainId} is at nonce ${relayerCount} and its sends at ${relayerNonce}; the nonces between are cancelled.`
  )
  const fees = generously(conditions, carriers.at(-1)?.gas ?? defaultGas)
  for (let nonce = relayerCount; nonce < before; nonce++) yield* use(chainId, nonce, fees)
  return true
})

/** Uses up the nonce it holds. */
export const useOwn = (
  { chainId, relayerNonce }: Pick<Carriage, "chainId" | "relayerNonce">,
  conditions: Conditions
) => use(chainId, relayerNonce as number, generously(conditions, defaultGas))

/** Leaves a nonce that nothing was signed under, so that nobody behind it has to find the gap. */
export const leave = Effect.fnUntraced(function* (execution: Execution, conditions: Conditions) {
  if (!(yield* isUsable(execution, conditions))) return
  // Whoever took the work over meanwhile goes on with the nonce.
  const current = yield* (yield* Executions).find(execution.proposalId)
  if (current?.step === "settled" || current?.relayerNonce !== execution.relayerNonce) {
    yield* useOwn(execution, conditions)
  }
})

/** Whether the chain waits for no nonce of it; one it waits for is kept in motion until it is used. */
export const isCleared = Effect.fnUntraced(function* (carriage: Carriage) {
  const payouts = yield* Submitter
  const { carriers, chainId, relayerNonce } = carriage
  const conditions = yield* payouts.conditions(chainId)
  const isWaitedFor = yield* isUsable(carriage, conditions)
  if (!isWaitedFor || conditions.relayerCount > (relayerNonce as number)) return true
  yield* Effect.ignore(payouts.broadcast(chainId, (carriers.at(-1) as Carrier).raw))
  yield* useOwn(carriage, conditions)
  return false
})

/** What failed is settled once its relayer nonce is used, so that nothing behind it is stuck. */
export const clearNonce = Effect.fnUntraced(function* (execution: Execution) {
  return (yield* isCleared(execution))
    ? ({ execution: settled(execution), goesOn: false } satisfies Step)
    : yield* later(execution)
})
