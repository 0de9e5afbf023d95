/** EVM chains keep the contract of chains, proven on anvil with Circle's own contract. */
import { Effect, Layer } from "effect"
import { Chains } from "../../../core/ports/chains.ts"
import * as Reorganisations from "../../contracts/chain-reorganisations.contract.ts"
import * as Contract from "../../contracts/chains.contract.ts"
import * as Anvil from "../../support/anvil.ts"
import { evm, standing, World } from "../../support/watched-chain.ts"

const base = Layer.effect(
  World,
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const { tip } = yield* Chains
    return {
      ...evm,
      chainId: "local",
      payer: chain.payer,
      pay: chain.pay,
      mine: chain.mine,
      reorg: standing(tip("local"), chain.reorg),
      rollBack: standing(tip("local"), chain.rollBack),
      outage: chain.outage
    }
  })
)

const world = base.pipe(Layer.provideMerge(Anvil.chains), Layer.provide(Anvil.layer))
Contract.suite("anvil", world)
Reorganisations.suite("anvil", world)
