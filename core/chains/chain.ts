/**
 * The chains the treasury knows by name. A chain id is the spec's plain string; CAIP-2 ids are
 * accepted on input and folded into it, so that one chain has one name everywhere.
 */
import { Schema } from "effect"

export type Family = "evm" | "solana"

export interface Chain {
  readonly id: string
  readonly name: string
  readonly family: Family
  /** `eip155:<number>` or the Solana genesis prefix. */
  readonly caip2: string
}

const evm = (id: string, name: string, number: number): Chain => ({
  id,
  name,
  family: "evm",
  caip2: `eip155:${number}`
})

export const chains: ReadonlyArray<Chain> = [
  evm("ethereum", "Ethereum", 1),
  evm("base", "Base", 8453),
  evm("arbitrum", "Arbitrum One", 42161),
  evm("optimism", "OP Mainnet", 10),
  evm("polygon", "Polygon PoS", 137),
  evm("ethereum-sepolia", "Ethereum Sepolia", 11155111),
  evm("base-sepolia", "Base Sepolia", 84532),
  evm("arbitrum-sepolia", "Arbitrum Sepolia", 421614),
  evm("optimism-sepolia", "OP Sepolia", 11155420),
  evm("polygon-amoy", "Polygon Amoy", 80002),
  evm("local", "Local sandbox", 31337),
  {
    id: "solana",
    name: "Solana",
    family: "solana",
    caip2: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
  },
  {
    id: "solana-devnet",
    name: "Solana Devnet",
    family: "solana",
    caip2: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
  }
]

/** Finds a chain by its id or its CAIP-2 id. */
export const find = (idOrCaip2: string): Chain | undefined =>
  chains.find((chain) => chain.id === idOrCaip2 || chain.caip2 === idOrCaip2)

/** The EIP-155 number of an EVM chain. */
export const eip155 = (chain: Chain): number => Number(chain.caip2.slice("eip155:".length))

/** Ours and CAIP-2's alphabet; nothing else ever reaches a comparison or a database. */
const idForm = /^[A-Za-z0-9-]{1,32}(:[A-Za-z0-9_-]{1,32})?$/u

export const ChainId = Schema.String.check(
  Schema.isPattern(idForm, { expected: "a chain id such as base, or eip155:8453" })
).annotate({
  description: "A chain id such as `base` or `local`; CAIP-2 (`eip155:8453`) is accepted too."
})

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

/** Where anybody may look a transaction up; a chain without a public explorer has no address here. */
export const transactionUrl = (chainId: Chain["id"], txHash: string): string | null =>
  sites[chainId]?.replace("{}", txHash) ?? null
