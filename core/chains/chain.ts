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
  /** Where anybody looks a transaction up, with `{}` in the place of its id; null without such a site. */
  readonly explorer: string | null
}

const evm = (id: string, name: string, number: number, explorer: string | null): Chain => ({
  id,
  name,
  family: "evm",
  caip2: `eip155:${number}`,
  explorer: explorer === null ? null : `https://${explorer}/tx/{}`
})

export const chains: ReadonlyArray<Chain> = [
  evm("ethereum", "Ethereum", 1, "etherscan.io"),
  evm("base", "Base", 8453, "basescan.org"),
  evm("arbitrum", "Arbitrum One", 42161, "arbiscan.io"),
  evm("optimism", "OP Mainnet", 10, "optimistic.etherscan.io"),
  evm("polygon", "Polygon PoS", 137, "polygonscan.com"),
  evm("ethereum-sepolia", "Ethereum Sepolia", 11155111, "sepolia.etherscan.io"),
  evm("base-sepolia", "Base Sepolia", 84532, "sepolia.basescan.org"),
  evm("arbitrum-sepolia", "Arbitrum Sepolia", 421614, "sepolia.arbiscan.io"),
  evm("optimism-sepolia", "OP Sepolia", 11155420, "sepolia-optimism.etherscan.io"),
  evm("polygon-amoy", "Polygon Amoy", 80002, "amoy.polygonscan.com"),
  evm("local", "Local sandbox", 31337, null),
  evm("local-2", "Second local sandbox", 31338, null),
  {
    id: "solana",
    name: "Solana",
    family: "solana",
    caip2: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    explorer: "https://explorer.solana.com/tx/{}"
  },
  {
    id: "solana-devnet",
    name: "Solana Devnet",
    family: "solana",
    caip2: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    explorer: "https://explorer.solana.com/tx/{}?cluster=devnet"
  },
  {
    id: "local-solana",
    name: "Local Solana sandbox",
    family: "solana",
    caip2: "solana:local",
    explorer: null
  }
]

/** Finds a chain by its id or its CAIP-2 id. */
export const find = (idOrCaip2: string): Chain | undefined =>
  chains.find((chain) => chain.id === idOrCaip2 || chain.caip2 === idOrCaip2)

export const transactionUrl = (chainId: string, txHash: string): string | null =>
  find(chainId)?.explorer?.replace("{}", txHash) ?? null

/** The EIP-155 number of an EVM chain. */
export const eip155 = (chain: Chain): number => Number(chain.caip2.slice("eip155:".length))

/** Ours and CAIP-2's alphabet; nothing else ever reaches a comparison or a database. */
const idForm = /^[A-Za-z0-9-]{1,32}(:[A-Za-z0-9_-]{1,32})?$/u

export const ChainId = Schema.String.check(
  Schema.isPattern(idForm, { expected: "a chain id such as base, or eip155:8453" })
).annotate({
  description:
    "A chain id such as `base`, `solana` or `local`; CAIP-2 (`eip155:8453`) is accepted too."
})
