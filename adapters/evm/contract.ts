/** Circle's USDC contract as far as the treasury speaks it. */
import { parseAbi } from "viem/utils"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"

export type Address = `0x${string}`

/** The identity of an address as a node or a contract wrote it. */
export const keyOf = (text: string): AddressKey => text.toLowerCase() as AddressKey

/** The identity of a transaction as a node wrote its hash. */
export const transactionOf = (hash: string): TransactionId => hash.toLowerCase() as TransactionId

/** Text known to be an address, in the type viem wants; both are plain text at run time. */
export const address = (text: string): Address => text as Address

export const abi = parseAbi([
  "function decimals() view returns (uint8)",
  "function balanceOf(address account) view returns (uint256)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)"
])
