/** Scripted chains keep the contract of token accounts. */
import { Effect, Layer } from "effect"
import * as Chains from "../../../adapters/memory/chains.ts"
import * as TokenAccounts from "../../../adapters/memory/token-accounts.ts"
import { scriptedChain } from "../../../apps/testing/wiring.ts"
import * as Contract from "../../contracts/token-accounts.contract.ts"
import { anOwner, chainId } from "../../support/solana-world.ts"

const base = Layer.effect(
  Contract.AccountsWorld,
  Effect.map(Chains.ChainScript, (script) => ({
    chainId,
    someone: Effect.sync(anOwner),
    pay: (to: string, amountMicro: bigint) => Effect.asVoid(script.pay({ to, amountMicro })),
    mine: script.mine(1),
    outage: script.outage
  }))
)

const world = Layer.suspend(() => {
  const state = scriptedChain(["local-solana"])
  return Layer.merge(base, TokenAccounts.layer(state)).pipe(Layer.provide(Chains.layer(state)))
})

Contract.suite("memory", world)
