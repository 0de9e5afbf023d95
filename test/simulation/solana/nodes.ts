/**
 * Several nodes behind one port: whichever answers may lack the newest blocks. A node that has not come to where the
 * records stand is refused, as a real one refuses to answer for a slot it does not have.
 */
import { Context, Effect, Layer } from "effect"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import type * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import * as SolanaSubmitter from "../../../adapters/memory/solana-submitter.ts"
import { Chains, ChainUnavailable } from "../../../core/ports/chains.ts"
import type { Wired } from "../ports.ts"
import type { Nodes } from "../setting.ts"

/** The chain as a node has it that lacks the newest blocks; what is handed to it goes to all. */
const without = (chain: ScriptedChain.Scripted, newest: number): ScriptedChain.Scripted => {
  const blocks = chain.blocks.slice(0, Math.max(1, chain.blocks.length - newest))
  const landed = chain.landed.filter(({ blockNumber }) => blockNumber < blocks.length)
  return { ...chain, blocks, landed }
}

/** The chains as they are at the moment they are read, without the newest blocks. */
class Behind extends Map<string, ScriptedChain.Scripted> {
  readonly #nodes: Nodes

  constructor(nodes: Nodes) {
    super(nodes.chain.scripted)
    this.#nodes = nodes
  }

  override get(chainId: string): ScriptedChain.Scripted | undefined {
    const chain = super.get(chainId)
    return chain === undefined ? undefined : without(chain, this.#nodes.blocksBehind())
  }
}

/** What a node says that is as far behind as `blocksBehind` gives it at each question. */
export const stateBehind = (nodes: Nodes): ScriptedChain.State => ({
  scripted: new Behind(nodes),
  rates: nodes.chain.rates,
  blocksMade: 0,
  transactionsMade: 0
})

const detail = "the node has not come as far as the records"

/** The ports of Solana, answered by one node or another. */
export const sometimesBehind = (below: Wired, nodes: Nodes): Wired => {
  const state = stateBehind(nodes)
  const chains = Layer.effect(
    Chains,
    Effect.gen(function* () {
      const { connected } = yield* Chains
      const answering = Context.get(yield* Layer.build(MemoryChains.layer(state)), Chains)
      return {
        ...answering,
        connected,
        look: (chainId, from) =>
          Effect.flatMap(answering.look(chainId, from), (update) =>
            update.head < (from.blocks.at(-1)?.number ?? 0)
              ? Effect.fail(new ChainUnavailable({ chainId, reason: "inconsistent", detail }))
              : Effect.succeed(update)
          )
      }
    })
  ).pipe(Layer.provide(below))
  const relay = SolanaSubmitter.layer(state).pipe(Layer.provide(below))
  return Layer.mergeAll(below, chains, relay)
}
