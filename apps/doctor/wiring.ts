/** The chains of a configuration, each node by itself, asked as the service asks them. */
import * as EvmChains from "../../adapters/evm/chains.ts"
import * as EvmHoldings from "../../adapters/evm/holdings.ts"
import * as EvmProxiedCode from "../../adapters/evm/proxied-code.ts"
import * as SolanaChains from "../../adapters/solana/chains.ts"
import * as SolanaHoldings from "../../adapters/solana/holdings.ts"
import * as ByChain from "../server/by-chain.ts"
import type { Connected } from "../server/wiring.ts"

/** A node that the service would ask, and the chain it should be of. */
export interface Node {
  readonly chainId: string
  readonly name: string
  /** `1` for the first node of its chain. */
  readonly n: number
  readonly chains: ReturnType<typeof EvmChains.layer>
  readonly holdings: ReturnType<typeof EvmHoldings.layer>
  /** What stands behind the chain's tokens, where that may be another contract. */
  readonly proxied?: ReturnType<typeof EvmProxiedCode.layer>
}

/** What addresses hold on the connected chains. */
export const holdings = ({ chains, solana = [] }: Connected) =>
  ByChain.holdings({ evm: EvmHoldings.layer(chains), solana: SolanaHoldings.layer(solana) })

export const nodesOf = ({ chains, solana = [] }: Connected): ReadonlyArray<Node> => [
  ...chains.flatMap(({ secondRpcUrl, ...connection }) =>
    [connection.rpcUrl, ...(secondRpcUrl === undefined ? [] : [secondRpcUrl])].map(
      (rpcUrl, at) => ({
        chainId: connection.chain.id,
        name: connection.chain.name,
        n: at + 1,
        chains: EvmChains.layer([{ ...connection, rpcUrl }]),
        holdings: EvmHoldings.layer([{ ...connection, rpcUrl }]),
        proxied: EvmProxiedCode.layer([{ ...connection, rpcUrl }])
      })
    )
  ),
  ...solana.flatMap((connection) =>
    connection.rpcUrls.map((rpcUrl, at) => ({
      chainId: connection.chain.id,
      name: connection.chain.name,
      n: at + 1,
      chains: SolanaChains.layer([{ ...connection, rpcUrls: [rpcUrl] }]),
      holdings: SolanaHoldings.layer([{ ...connection, rpcUrls: [rpcUrl] }])
    }))
  )
]
