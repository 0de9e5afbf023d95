/** Sending on a test's own anvil: relayers with gas, wallets that can be given USDC. */
import { Context, Effect, Layer } from "effect"
import * as Branch from "../../adapters/evm/branch.ts"
import type { Connection } from "../../adapters/evm/node.ts"
import * as EvmPayouts from "../../adapters/evm/payouts.ts"
import * as Rpc from "../../adapters/evm/rpc.ts"
import * as EvmSigner from "../../adapters/evm/signer.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import { Payouts } from "../../core/ports/payouts.ts"
import { Signer } from "../../core/ports/signer.ts"
import * as Anvil from "./anvil.ts"
import { PayingGround } from "./paying-ground.ts"
import { trusting } from "./warrants.ts"

export const seed = new Uint8Array(64).fill(7)

/** Port Payouts over the test's own chain. */
export const payouts = (
  options: Partial<EvmPayouts.Options> = {},
  over: Partial<Connection> = {}
): Layer.Layer<Payouts, never, Anvil.AnvilChain> =>
  Layer.unwrap(
    Effect.map(Anvil.AnvilChain, (chain) =>
      EvmPayouts.layer({
        holders: Branch.holders(seed),
        connections: [Anvil.connectionTo(chain, over)],
        ...options
      })
    )
  ).pipe(Layer.provide(trusting))

const giveGas = Effect.fnUntraced(function* (sender: Payouts["Service"]) {
  const { call } = yield* Anvil.AnvilChain
  yield* call("anvil_setBalance", yield* sender.relayerAddress("local"), "0xde0b6b3a7640000")
})

const ground = Layer.effect(
  PayingGround,
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const rival = Context.get(
      yield* Layer.build(payouts({ holders: Branch.holders(seed, 1) })),
      Payouts
    )
    yield* giveGas(rival)
    yield* giveGas(yield* Payouts)
    const signer = Context.get(
      yield* Layer.build(EvmSigner.layer(Branch.holders(seed).wallets)),
      Signer
    )
    const anvil = { rpcUrl: chain.rpcUrl, rpc: Rpc.make(chain.rpcUrl), call: chain.call }
    return {
      chainId: "local",
      confirmations: Anvil.connectionTo(chain).confirmations,
      rival,
      walletAt: (index: number) =>
        Effect.map(signer.addressesOf("local", [index]), ([address = ""]) => address),
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

export const world = ground.pipe(
  Layer.provideMerge(Layer.mergeAll(Anvil.chains, Anvil.allowances, payouts())),
  Layer.provideMerge(Anvil.layer)
)
