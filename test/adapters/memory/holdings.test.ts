/** Scripted chains keep the contract of holdings. */
import { Effect, Layer } from "effect"
import * as Chains from "../../../adapters/memory/chains.ts"
import * as Holdings from "../../../adapters/memory/holdings.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Chains as ChainsPort } from "../../../core/ports/chains.ts"
import * as Contract from "../../contracts/holdings.contract.ts"
import * as Value from "../../support/chain-values.ts"
import { HoldingWorld } from "../../support/holdings-chain.ts"

const base = Layer.effect(
  HoldingWorld,
  Effect.gen(function* () {
    const script = yield* Chains.ChainScript
    const { connected } = yield* ChainsPort
    return {
      chainId: "local",
      usdc: connected[0]?.usdc ?? Value.key(""),
      pay: (to, amountMicro) => Effect.asVoid(script.pay({ to, amountMicro })),
      giveCoins: script.giveCoins,
      airdrop: script.airdrop,
      outage: script.outage
    }
  })
)

const world = Layer.suspend(() => {
  const state = Wiring.scriptedChain()
  return Layer.merge(base, Holdings.layer(state)).pipe(Layer.provide(Chains.layer(state)))
})

Contract.suite("memory", world)
