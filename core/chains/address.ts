/**
 * The identity of addresses and transactions, by the family of their chain. Two addresses are compared, and
 * looked up, by their keys and by nothing else; PostgreSQL computes the same keys (`address_key`).
 */
import { type Family, find } from "./chain.ts"
import { evm } from "./evm.ts"
import type { ChainFamily } from "./family.ts"
import { solana } from "./solana.ts"

export const families: Readonly<Record<Family, ChainFamily>> = { evm, solana }

/**
 * The family of a chain by its id or CAIP-2 id. A chain that is not in the table is told by its name, by the
 * same rule as in SQL, so that both always compute one key.
 */
export const familyOf = (chainId: string): ChainFamily =>
  families[find(chainId)?.family ?? (chainId.includes("solana") ? "solana" : "evm")]

/** What is compared and looked up in the place of an address. */
export const keyOf = (chainId: string, address: string): string =>
  familyOf(chainId).addressKey(address)

export const isSame = (chainId: string, one: string, other: string): boolean =>
  keyOf(chainId, one) === keyOf(chainId, other)

/** The key of a transaction id, as `keyOf` is of an address. */
export const transactionKeyOf = (chainId: string, transactionId: string): string =>
  familyOf(chainId).transactionKey(transactionId)
