/** Reading allowances of the scripted chain keeps the contract. */
import { Effect, Layer } from "effect"
import * as MemoryAllowances from "../../../adapters/memory/allowances.ts"
import * as ScriptedChains from "../../../adapters/memory/chains.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Chains } from "../../../core/ports/chains.ts"
import * as Contract from "../../contracts/allowances.contract.ts"
import { AllowanceWorld } from "../../support/allowance-chain.ts"
import * as Value from "../../support/chain-values.ts"

const otherToken = Value.key(`0x${"0e".repeat(20)}`)

const base = Layer.effect(
  AllowanceWorld,
  Effect.gen(function* () {
    const { approve, mine, outage, reorg } = yield* ScriptedChains.ChainScript
    const usdc = (yield* Chains).connected[0]?.usdc ?? otherToken
    return { chainId: "local", usdc, otherToken, approve, mine, outage, reorg }
  })
)

const world = Layer.unwrap(
  Effect.sync(() => {
    const state = Wiring.scriptedChain()
    return base.pipe(
      Layer.provideMerge(ScriptedChains.layer(state)),
      Layer.provideMerge(MemoryAllowances.layer(state))
    )
  })
)

Contract.suite("memory", world)
