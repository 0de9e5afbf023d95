/** What wallets hold on every chain, and what they held: by the nodes of each family. */
import { Layer } from "effect"
import * as EvmHoldings from "../../../adapters/evm/holdings.ts"
import * as EvmHistory from "../../../adapters/evm/token-history.ts"
import * as SolanaHoldings from "../../../adapters/solana/holdings.ts"
import * as SolanaHistory from "../../../adapters/solana/token-history.ts"
import * as ByChain from "../by-chain.ts"

/** Over the nodes that are connected. */
export const layer = ({
  chains,
  solana = []
}: {
  readonly chains: Parameters<typeof EvmHoldings.layer>[0]
  readonly solana?: Parameters<typeof SolanaHoldings.layer>[0] | undefined
}) =>
  Layer.merge(
    ByChain.holdings({ evm: EvmHoldings.layer(chains), solana: SolanaHoldings.layer(solana) }),
    ByChain.tokenHistory({ evm: EvmHistory.layer(chains), solana: SolanaHistory.layer(solana) })
  )
