/** Where anybody may look a transaction up; a chain without a public explorer has no address here. */
import type { Chain } from "./chain.ts"

const sites: Readonly<Record<string, string>> = {
  ethereum: "https://etherscan.io/tx/{}",
  base: "https://basescan.org/tx/{}",
  arbitrum: "https://arbiscan.io/tx/{}",
  optimism: "https://optimistic.etherscan.io/tx/{}",
  polygon: "https://polygonscan.com/tx/{}",
  "ethereum-sepolia": "https://sepolia.etherscan.io/tx/{}",
  "base-sepolia": "https://sepolia.basescan.org/tx/{}",
  "arbitrum-sepolia": "https://sepolia.arbiscan.io/tx/{}",
  "optimism-sepolia": "https://sepolia-optimism.etherscan.io/tx/{}",
  "polygon-amoy": "https://amoy.polygonscan.com/tx/{}",
  solana: "https://explorer.solana.com/tx/{}",
  "solana-devnet": "https://explorer.solana.com/tx/{}?cluster=devnet"
}

export const transactionUrl = (chainId: Chain["id"], txHash: string): string | null =>
  sites[chainId]?.replace("{}", txHash) ?? null
