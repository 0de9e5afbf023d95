/** Scripted chains keep the contract of transactions for payers' wallets. */
import { Effect, Layer, Schema } from "effect"
import * as Chains from "../../../adapters/memory/chains.ts"
import * as PayerTransactions from "../../../adapters/memory/payer-transactions.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { scriptedChain } from "../../../apps/testing/wiring.ts"
import * as Contract from "../../contracts/payer-transactions.contract.ts"
import { anOwner, chainId } from "../../support/solana-world.ts"

const Made = Schema.fromJsonString(
  Schema.Struct({
    from: Schema.String,
    to: Schema.String,
    amountMicro: Schema.BigIntFromString,
    reference: Schema.String
  })
)

const worldOver = (state: ScriptedChain.State) =>
  Layer.effect(
    Contract.PayersWorld,
    Effect.map(Chains.ChainScript, (script) => ({
      asking: (units: bigint) =>
        Effect.sync(() => {
          const { chain, usdc } = ScriptedChain.find(state).connected
          return { chain, token: usdc, payTo: anOwner(), units, reference: anOwner() }
        }),
      payer: Effect.fnUntraced(function* (amountMicro: bigint, hasCoin = true) {
        const address = anOwner()
        yield* script.pay({ to: address, amountMicro })
        yield* script.giveCoins(address, hasCoin ? 1n : 0n)
        const send = (transaction: string) => {
          const text = Buffer.from(transaction, "base64").toString()
          const { reference, ...paying } = Schema.decodeSync(Made)(text)
          return Effect.asVoid(script.pay({ ...paying, references: [reference] }))
        }
        return { address, send }
      }),
      held: (owner: string) => script.balanceOf(owner),
      named: (reference: string) =>
        Effect.sync(
          () =>
            ScriptedChain.find(state)
              .blocks.flatMap(({ payments }) => payments)
              .filter(({ references = [] }) => references.some((each) => each === reference)).length
        ),
      outage: script.outage
    }))
  )

const world = Layer.suspend(() => {
  const state = scriptedChain([chainId])
  return Layer.merge(worldOver(state), PayerTransactions.layer(state)).pipe(
    Layer.provide(Chains.layer(state))
  )
})

Contract.suite("memory", world)
