/**
 * Whether the relayer of a chain can carry another send just now. It is only ever a reason to refuse early,
 * before anything is stored; a relayer that runs dry later makes a send wait, never fail.
 */
import { Effect } from "effect"
import { relayerOutOfGas } from "../operation/metrics.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { type Conditions, Submitter } from "./submitter.ts"

/** What a send takes when nobody has asked yet: a transfer to an address that never held USDC fits well. */
export const defaultGas = 150_000n

/** Whether the relayer can pay a transaction with so much gas, at the most it may cost. */
export const canPay = (
  { dataFeeWei, maxFeePerGas, relayerWei }: Conditions,
  gas: bigint
): boolean => relayerWei >= gas * maxFeePerGas + dataFeeWei

/** Refuses while the relayer is known to be out of gas; a chain that does not answer is no reason. */
export const ready = Effect.fnUntraced(function* (chainId: string) {
  const payouts = yield* Submitter
  const conditions = yield* Effect.option(payouts.conditions(chainId))
  if (conditions._tag === "None" || canPay(conditions.value, defaultGas)) return
  const relayer = yield* payouts.relayerAddress(chainId)
  yield* relayerOutOfGas(chainId)
  return yield* new UpstreamUnavailable({
    message: `The relayer has too little gas on ${chainId}; ask the operator to fund ${relayer}, then try again.`,
    details: { chainId, relayer }
  })
})
