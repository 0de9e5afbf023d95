/**
 * Where USDC is burnt and minted by its issuer (CCTP V2): the number each chain has there, its contracts, and which
 * chains reach each other. A main chain never reaches a test chain.
 */

export type Network = "main" | "test" | "local"

/** What burns and mints, and what tells of it: contracts or programs, as their chain writes addresses. */
interface Contracts {
  readonly tokenMessenger: string
  readonly messageTransmitter: string
}

const main: Contracts = {
  tokenMessenger: "0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d",
  messageTransmitter: "0x81D40F21F12A8F0E3252Bccb954D722d4c464B64"
}

/** The same on every Solana. */
const programs: Contracts = {
  tokenMessenger: "CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdgUMQe",
  messageTransmitter: "CCTPV2Sm4AdWt5296sk4P66VBZ7bEhcARwFaaS9YPbeC"
}

/** The local chains have contracts of the same interface at the addresses of the main chains. */
const contracts: Readonly<Record<Network, Contracts>> = {
  main,
  test: {
    tokenMessenger: "0x8FE6B999Dc680CcFDD5Bf7EB0974218be2542DAA",
    messageTransmitter: "0xE737e5cEBEEBa77EFE34D4aa090756590b1CE275"
  },
  local: main
}

export interface Domain extends Contracts {
  readonly network: Network
  /** The chain's number there, which is not its EIP-155 number. */
  readonly number: number
  /** How long until a burn is attested, in seconds: once it is final, and once it is in a block. */
  readonly typicalSeconds: { readonly standard: number; readonly fast: number | null }
}

const domain = (
  network: Network,
  number: number,
  standard: number,
  fast: number | null = 8
): Domain => ({ ...contracts[network], network, number, typicalSeconds: { standard, fast } })

const domains: Readonly<Record<string, Domain>> = {
  ethereum: domain("main", 0, 1020, 20),
  optimism: domain("main", 2, 1020),
  arbitrum: domain("main", 3, 1140),
  base: domain("main", 6, 1020),
  // What is final there so soon has nothing faster.
  polygon: domain("main", 7, 8, null),
  "ethereum-sepolia": domain("test", 0, 1020, 20),
  "optimism-sepolia": domain("test", 2, 1020),
  "arbitrum-sepolia": domain("test", 3, 1140),
  "base-sepolia": domain("test", 6, 1020),
  "polygon-amoy": domain("test", 7, 8, null),
  local: domain("local", 100, 3, 1),
  "local-2": domain("local", 101, 3, 1),
  solana: { ...domain("main", 5, 25), ...programs },
  "solana-devnet": { ...domain("test", 5, 25), ...programs },
  "local-solana": { ...domain("local", 102, 8, 2), ...programs }
}

export const domainOf = (chainId: string): Domain | undefined => domains[chainId]

/** The domains at both ends; undefined when there is no way between the two chains. */
export const between = (
  fromChainId: string,
  toChainId: string
): { readonly from: Domain; readonly to: Domain } | undefined => {
  const [from, to] = [domains[fromChainId], domains[toChainId]]
  if (from === undefined || to === undefined || fromChainId === toChainId) return undefined
  return from.network === to.network ? { from, to } : undefined
}
