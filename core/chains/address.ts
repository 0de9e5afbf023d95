/**
 * The identity of addresses and transactions, by the family of their chain. Two addresses are compared, and
 * looked up, by their keys and by nothing else; PostgreSQL computes the same keys (`address_key`).
 */
import { Schema } from "effect"
import { type Family, find } from "./chain.ts"
import { evm } from "./evm.ts"
import type { ChainFamily } from "./family.ts"
import { solana } from "./solana.ts"

/** An address in its chain's display form: checksummed on EVM, base58 on Solana. */
export const Address = Schema.String.pipe(Schema.brand("Address"))
export type Address = typeof Address.Type

/** What is compared and looked up in the place of an address; the address in lower case on EVM. */
export const AddressKey = Schema.String.pipe(Schema.brand("AddressKey"))
export type AddressKey = typeof AddressKey.Type

/** A transaction's id in the form of its key: in lower case on EVM. */
export const TransactionId = Schema.String.pipe(Schema.brand("TransactionId"))
export type TransactionId = typeof TransactionId.Type

export const families: Readonly<Record<Family, ChainFamily>> = { evm, solana }

/**
 * The family of a chain by its id or CAIP-2 id. A chain that is not in the table is told by its name, by the
 * same rule as in SQL, so that both always compute one key.
 */
export const familyOf = (chainId: string): ChainFamily =>
  families[find(chainId)?.family ?? (chainId.includes("solana") ? "solana" : "evm")]

/** The address a text is on a chain; undefined when it is none. Looks nothing up. */
export const parse = (chainId: string, text: string): Address | undefined =>
  familyOf(chainId).parseAddress(text) as Address | undefined

/** The transaction a text names on a chain; undefined when it is no transaction id. Looks nothing up. */
export const parseTransactionId = (chainId: string, text: string): TransactionId | undefined =>
  familyOf(chainId).parseTransactionId(text) as TransactionId | undefined

/** What a text names as a transaction's id, one for each family that reads it so; where no chain is known. */
export const parseInAnyFamily = (text: string): ReadonlyArray<TransactionId> =>
  Object.values(families).flatMap((family) => {
    const id = family.parseTransactionId(text)
    return id === undefined ? [] : [id as TransactionId]
  })

/** An address in display form, from a text that a chain gave. */
export const shown = (chainId: string, address: string): Address =>
  parse(chainId, address) ?? (address as Address)

/** What is compared and looked up in the place of an address. */
export const keyOf = (chainId: string, address: string): AddressKey =>
  familyOf(chainId).addressKey(address) as AddressKey

export const isSame = (chainId: string, one: string, other: string): boolean =>
  keyOf(chainId, one) === keyOf(chainId, other)

/** The key of a transaction id, as `keyOf` is of an address. */
export const transactionKeyOf = (chainId: string, transactionId: string): TransactionId =>
  familyOf(chainId).transactionKey(transactionId) as TransactionId

/** Why money sent to an address is lost; undefined for any other. */
export const whyLost = (chainId: string, address: Address): string | undefined =>
  familyOf(chainId).whyLost(keyOf(chainId, address))

/** A wallet that may sign for an account: the one that paid for it. */
export interface FundingWallet {
  readonly chainId: string
  readonly address: Address
}
