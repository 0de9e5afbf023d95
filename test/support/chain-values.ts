/** Addresses and transaction ids for tests: plain text of an EVM chain, said to be what it is. */
import {
  type Address,
  type AddressKey,
  keyOf,
  type TransactionId,
  transactionKeyOf
} from "../../core/chains/address.ts"

/** The text as it is, whether or not its checksum is right. */
export const address = (text: string): Address => text as Address

export const key = (text: string): AddressKey => keyOf("local", text)

/** A text in lower case is an address that somebody may write, and its key. */
export const lower = (text: string): Address & AddressKey => key(text) as Address & AddressKey

export const transaction = (text: string): TransactionId => transactionKeyOf("local", text)
