/** Sending on a test's own anvil: relayers with gas, wallets that can be given USDC. */
import { Context, Effect, Layer } from "effect"
import * as Branch from "../../adapters/evm/branch.ts"
import type { Holders, Key } from "../../adapters/evm/holder.ts"
import type { Connection } from "../../adapters/evm/node.ts"
import * as Rpc from "../../adapters/evm/rpc.ts"
import * as EvmSigner from "../../adapters/evm/signer.ts"
import * as EvmPayouts from "../../adapters/evm/submitter.ts"
import * as Ids from "../../adapters/memory/ids.ts"
import { books } from "../../adapters/memory/memory.ts"
import * as Secrets from "../../adapters/memory/secrets.ts"
import { MemoryStore } from "../../adapters/memory/store.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import { Submitter } from "../../core/submissions/submitter.ts"
import * as Kinds from "../../core/treasury/kinds.ts"
import * as Anvil from "./anvil.ts"
import { PayingGround } from "./paying-ground.ts"
import { trusting } from "./signing-policies.ts"

export const seed = new Uint8Array(64).fill(7)

/** Port Submitter over the test's own chain. */
export const payouts = (
  options: Partial<EvmPayouts.Options> = {},
  over: Partial<Connection> = {}
): Layer.Layer<Submitter, never, Anvil.AnvilChain> =>
  Layer.unwrap(
    Effect.map(Anvil.AnvilChain, (chain) =>
      EvmPayouts.layer({
        holders: Branch.holders(seed),
        connections: [Anvil.connectionTo(chain, over)],
        ...options
      })
    )
  ).pipe(Layer.provide(trusting))

const giveGas = Effect.fnUntraced(function* (sender: Submitter["Service"]) {
  const { call } = yield* Anvil.AnvilChain
  yield* call("anvil_setBalance", yield* sender.relayerAddress("local"), "0xde0b6b3a7640000")
})

const groundOf = ({ wallets }: Holders, rivalKey: Key) =>
  Layer.effect(
    PayingGround,
    Effect.gen(function* () {
      const chain = yield* Anvil.AnvilChain
      const rival = Context.get(
        yield* Layer.build(payouts({ holders: { wallets, relayer: rivalKey } })),
        Submitter
      )
      yield* giveGas(rival)
      yield* giveGas(yield* Submitter)
      const anvil = { rpcUrl: chain.rpcUrl, rpc: Rpc.make(chain.rpcUrl), call: chain.call }
      return {
        chainId: "local",
        confirmations: Anvil.connectionTo(chain).confirmations,
        rival,
        keyAt: (number: number) => ({ backend: wallets.backend, ref: wallets.refAt(number) }),
        walletAt: (number: number) => wallets.addressOf(wallets.refAt(number)),
        fund: (to: string, amountMicro: bigint) =>
          CircleUsdc.mint(anvil, chain.usdc, to, amountMicro),
        mine: chain.mine,
        reorg: chain.reorg,
        timePasses: chain.timePasses,
        outage: chain.outage,
        loseNextReply: chain.meddler.meddle(async (asked, pass) => {
          const answers = await pass(asked)
          if (!asked.some(({ method }) => method === "eth_sendRawTransaction")) return answers
          await Effect.runPromise(chain.meddler.meddle())
          return "hang up"
        })
      }
    })
  )

/** A chain of its own, with a relayer and a rival to it, whose keys are held as said. */
export const worldOf = (holders: Holders, rivalKey: Key) =>
  groundOf(holders, rivalKey).pipe(
    Layer.provideMerge(Layer.mergeAll(Anvil.chains, Anvil.allowances, payouts({ holders }))),
    Layer.provideMerge(Anvil.layer)
  )

export const world = Layer.suspend(() =>
  worldOf(Branch.holders(seed), Branch.holders(seed, 1).relayer)
)

/** The same with stores in memory, where confirmed sends can be pushed forward. */
export const sendingOver = (holders: Holders, rival: Holders) =>
  Layer.mergeAll(
    worldOf(holders, rival.relayer),
    books.pipe(Layer.provide(MemoryStore.layer)),
    Ids.layer(1),
    Kinds.layer,
    Secrets.layer,
    EvmSigner.layer(holders.wallets)
  )
