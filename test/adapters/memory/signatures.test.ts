/** Signatures in memory are judged as on a chain. */
import { Effect, Layer } from "effect"
import * as Chains from "../../../adapters/memory/chains.ts"
import * as Signatures from "../../../adapters/memory/signatures.ts"
import { scriptedChain } from "../../../apps/testing/wiring.ts"
import * as Contract from "../../contracts/signatures.contract.ts"
import * as Rows from "../../support/rows.ts"
import {
  evmWallets,
  programAccount,
  solanaWallets,
  tokenProgram
} from "../../support/signing-wallets.ts"

const world = Layer.effect(
  Contract.WalletWorld,
  Effect.gen(function* () {
    const { own } = yield* Signatures.WalletScript
    const { outage } = yield* Chains.ChainScript
    return {
      contractOf: (owner) =>
        Effect.gen(function* () {
          const contract = Rows.anAddress()
          yield* own(contract, owner)
          return contract
        }),
      otherContract: Effect.sync(() => Rows.anAddress()),
      outage: (isAway) => outage(isAway),
      contractsSign: true
    }
  })
)

/** On Solana no program signs a text, so no script can say that one does. */
const programs = Layer.effect(
  Contract.WalletWorld,
  Effect.map(Chains.ChainScript, ({ outage }) => ({
    contractOf: () => Effect.succeed(programAccount),
    otherContract: Effect.succeed(tokenProgram),
    outage: (isAway: boolean) => outage(isAway),
    contractsSign: false
  }))
)

const scripted = Layer.suspend(() => {
  const chain = scriptedChain()
  return Layer.merge(Signatures.layer(chain), Chains.layer(chain))
})

Contract.suite("memory", world.pipe(Layer.provideMerge(scripted)), evmWallets)
Contract.suite("memory, Solana", programs.pipe(Layer.provideMerge(scripted)), solanaWallets)
