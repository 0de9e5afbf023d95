/** Scripted chains of each family to send on. */
import { Effect, Layer } from "effect"
import * as ScriptedChains from "../../adapters/memory/chains.ts"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import * as MemorySubmitter from "../../adapters/memory/submitter.ts"
import * as MemoryWalletKeys from "../../adapters/memory/wallet-keys.ts"
import type { Address } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import * as Rows from "./rows.ts"
import { SendWorld } from "./send-world.ts"
import { trusting } from "./signing-policies.ts"

const confirmations = 3

const rivals = { relayer: Rows.anAddress(), solanaRelayer: Rows.aSolanaAddress() }

const stateOn = (chainId: string, usdc: string) => {
  const chain = Chain.find(chainId) as Chain.Chain
  return ScriptedChain.makeState([{ chain, usdc, confirmations, pollMs: 1000 }])
}

const groundOver = (state: ScriptedChain.State, someone: () => Address) =>
  Layer.effect(
    SendWorld,
    Effect.gen(function* () {
      const script = yield* ScriptedChains.ChainScript
      const rival = yield* Layer.build(MemorySubmitter.layer(state, rivals))
      const scripted = ScriptedChain.find(state)
      const chainId = scripted.connected.chain.id
      let isLost = false
      const next = Effect.suspend(() =>
        isLost ? Effect.andThen(script.dropFromMempool(), script.mine(1)) : script.mine(1)
      )
      return {
        chainId,
        someone: Effect.sync(someone),
        fund: (to: string, amountMicro: bigint) => script.fund(to, amountMicro, chainId),
        held: (owner: string) => Effect.sync(() => ScriptedChain.balance(scripted, owner)),
        next,
        settle: script.mine(confirmations + 2),
        dropNewest: script.reorg(1),
        outage: script.outage,
        lose: (lost: boolean) =>
          Effect.sync(() => {
            isLost = lost
          }),
        loseNextReply: script.loseReply(),
        mineAgain: () =>
          Effect.suspend(() => {
            const keep = ScriptedChain.carriedIn(scripted, 1).map(({ txHash }) => txHash)
            return script.reorg(1, { keep })
          }),
        outlast: script.timePasses(1300),
        holdFinality: script.holdFinality,
        rival
      }
    })
  )

const over = (state: ScriptedChain.State, someone: () => Address) =>
  groundOver(state, someone).pipe(
    Layer.provideMerge(ScriptedChains.layer(state)),
    Layer.provideMerge(MemorySubmitter.layer(state)),
    Layer.provideMerge(Layer.provide(MemoryWalletKeys.layer, trusting))
  )

export const evm = Layer.suspend(() =>
  over(stateOn("local", `0x${"c0".repeat(20)}`), Rows.anAddress)
)

export const solanaState = () =>
  stateOn("local-solana", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU")

export const solanaOver = (state: ScriptedChain.State) => over(state, Rows.aSolanaAddress)

export const solana = Layer.suspend(() => solanaOver(solanaState()))
