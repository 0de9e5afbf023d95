/**
 * Whether the relayer of a chain can carry another send just now. It is only ever a reason to refuse early,
 * before anything is stored; a relayer that runs dry later makes a send wait, never fail.
 */
import { Effect } from "effect"
import { relayerOutOfGas } from "../meter.ts"
import { Payouts } from "../ports/payouts.ts"
import { UpstreamUnavailable } from "../refusal.ts"

/** Refuses while the relayer is known to be out of gas; a chain that does not answer is no reason. */
export const ready = Effect.fnUntraced(function* (chainId: string) {
  const payouts = yield* Payouts
  const conditions = yield* Effect.option(payouts.conditions(chainId))
  if (conditions._tag === "None" || conditions.value.hasGas) return
  const relayer = yield* payouts.relayerAddress(chainId)
  yield* relayerOutOfGas(chainId)
  return yield* new UpstreamUnavailable({
    message: `The relayer that pays gas on ${chainId} has too little; its operator funds ${relayer}, then try again.`,
    details: { chainId, relayer }
  })
})
