/** EVM chains keep the contract of chains, proven on anvil with Circle's own contract. */
import { Effect, Layer } from "effect"
import * as Reorganisations from "../../contracts/chain-reorganisations.contract.ts"
import * as Contract from "../../contracts/chains.contract.ts"
import * as Anvil from "../../support/anvil.ts"
import { World } from "../../support/watched-chain.ts"

const base = Layer.effect(
  World,
  Effect.map(Anvil.AnvilChain, (chain) => ({
    chainId: "local",
    payer: chain.payer,
    pay: chain.pay,
    mine: chain.mine,
    reorg: chain.reorg,
    rollBack: chain.rollBack,
    outage: chain.outage
  }))
)

const world = Layer.merge(base, Anvil.chains).pipe(Layer.provide(Anvil.layer))
Contract.suite("anvil", world)
Reorganisations.suite("anvil", world)
