/** Sending on a scripted chain: a relayer and a rival, wallets that can be given USDC. */
import { Context, Effect, Layer } from "effect"
import * as MemoryAllowances from "../../adapters/memory/allowances.ts"
import * as ScriptedChains from "../../adapters/memory/chains.ts"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import * as MemoryPayouts from "../../adapters/memory/submitter.ts"
import * as MemoryWalletKeys from "../../adapters/memory/wallet-keys.ts"
import * as Chain from "../../core/chains/chain.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import * as Value from "./chain-values.ts"
import { idOf, PayingWorld } from "./sending-chain.ts"
import { trusting } from "./signing-policies.ts"

const confirmations = 3

export const newState = () => {
  const chain = Chain.find("local")
  if (chain === undefined) throw new Error("The sandbox's chain is not known.")
  const usdc = `0x${"C0".repeat(20)}`
  return ScriptedChain.makeState([{ chain, usdc, confirmations, pollMs: 1000 }])
}

export const groundOver = (state: ScriptedChain.State) =>
  Layer.effect(
    PayingWorld,
    Effect.gen(function* () {
      const script = yield* ScriptedChains.ChainScript
      const { addressOf, open } = yield* WalletKeys
      const keyAt = (number: number) => Effect.map(open("local", idOf(number)), ({ key }) => key)
      const rival = MemoryPayouts.layer(state, { relayer: Value.address(`0x${"71".repeat(20)}`) })
      return {
        chainId: "local",
        confirmations,
        keyAt,
        walletAt: (number: number) =>
          Effect.flatMap(keyAt(number), (key) => Effect.map(addressOf("local", key), Value.key)),
        rival: Context.get(yield* Layer.build(rival), EvmRelay),
        fund: script.fund,
        mine: script.mine,
        reorg: (depth: number, keep: ReadonlyArray<string>) => script.reorg(depth, { keep }),
        timePasses: script.timePasses,
        outage: script.outage,
        holdFinality: script.holdFinality,
        loseNextReply: script.loseReply()
      }
    })
  )

/** Everything over the state, which outlives it. */
export const worldOver = (state: ScriptedChain.State) =>
  groundOver(state).pipe(
    Layer.provideMerge(ScriptedChains.layer(state)),
    Layer.provideMerge(MemoryPayouts.layer(state)),
    Layer.provideMerge(Layer.provide(MemoryWalletKeys.layer, trusting)),
    Layer.provideMerge(MemoryAllowances.layer(state))
  )

export const world = Layer.unwrap(Effect.sync(() => worldOver(newState())))
