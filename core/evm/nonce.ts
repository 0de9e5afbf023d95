/**
 * The relayer's nonces, which the chain takes in order and without a gap. A nonce is taken and written
 * down before anything is signed under it; one that nothing of ours will ever use is used up by us.
 */
import { Effect } from "effect"
import { keyOf } from "../chains/address.ts"
import type { Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Fees } from "./journal.ts"
import * as Journal from "./journal.ts"
import { recorded } from "./outlay.ts"
import { type Conditions, EvmRelay } from "./relay.ts"

/** What a send takes when nobody has asked yet: a transfer to an address that never held USDC fits well. */
export const defaultGas = 150_000n

/** Who pays on a chain now. */
export const relayerOn = (chainId: string) =>
  EvmRelay.use(({ relayerAddress }) =>
    Effect.map(relayerAddress(chainId), (address) => keyOf(chainId, address))
  )

/** Whether a nonce it holds can still be used: by the relayer that carries now, and by nothing else before. */
export const isUsable = Effect.fnUntraced(function* (
  { chainId, relayer, relayerSequence }: Submission,
  { relayerMined }: Conditions
) {
  if (relayerSequence === null) return false
  return relayer === (yield* relayerOn(chainId)) && relayerMined <= relayerSequence
})

/** Fees move while a filler waits, and it is never raised. */
const generously = ({ maxFeePerGas, maxPriorityFeePerGas }: Conditions, gas: bigint): Fees => ({
  maxFeePerGas: maxFeePerGas * 2n,
  maxPriorityFeePerGas,
  gas
})

/** Uses a nonce up. Whether the node takes it is seen by the relayer's count, at a later look. */
export const use = Effect.fnUntraced(function* (
  chainId: string,
  nonce: number,
  conditions: Conditions,
  gas = defaultGas
) {
  const relay = yield* EvmRelay
  const fees = generously(conditions, gas)
  yield* recorded(chainId, nonce, fees)
  const raw = yield* relay.fill(chainId, nonce, fees)
  yield* Effect.ignore(relay.broadcast(chainId, raw))
})

const maxFilledAtOnce = 32

/**
 * Whether the chain waits for nonces before this one's that nobody will use, as after it was set back
 * under these records; some of them are used up then.
 */
export const fillsGap = Effect.fnUntraced(function* (
  submission: Submission,
  conditions: Conditions
) {
  const { chainId, relayer, relayerSequence } = submission
  const { relayerCount } = conditions
  if (relayer === null || relayerSequence === null || relayerCount >= relayerSequence) return false
  const store = yield* SubmissionStore
  if (yield* store.holdsSequence(chainId, relayer, relayerCount, relayerSequence)) return false
  const before = Math.min(relayerSequence, relayerCount + maxFilledAtOnce)
  yield* Effect.logWarning(
    `The relayer ${relayer} on ${chainId} is at nonce ${relayerCount} and its sends at ${relayerSequence}; the nonces between are cancelled.`
  )
  const gas = Journal.read(submission).attempts.at(-1)?.gas
  for (let nonce = relayerCount; nonce < before; nonce++) {
    yield* use(chainId, nonce, conditions, gas)
  }
  return true
})

/** Whether the chain waits for no nonce of it; one it waits for is kept in motion until it is used. */
export const isCleared = Effect.fnUntraced(function* <E, R>(
  submission: Submission,
  conditions: Effect.Effect<Conditions, E, R>
) {
  const { chainId, relayerSequence } = submission
  if (relayerSequence === null) return true
  const now = yield* conditions
  if (!(yield* isUsable(submission, now)) || now.relayerCount > relayerSequence) return true
  const newest = Journal.read(submission).attempts.at(-1)
  const relay = yield* EvmRelay
  if (newest !== undefined) yield* Effect.ignore(relay.broadcast(chainId, newest.raw))
  yield* use(chainId, relayerSequence, now)
  return false
})
