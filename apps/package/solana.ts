/**
 * `bursar/solana`: chains of the Solana family, read and written through JSON-RPC nodes.
 *
 * @example
 * import * as Solana from "bursar/solana"
 * console.log(Solana.addressOf(new Uint8Array(32).fill(7)))
 */

/** The address of a public key, in base58. */
export { addressOf } from "../../adapters/solana/address.ts"
/** Reads the chain: blocks, deposits to watched vaults, balances. */
export * as Chains from "../../adapters/solana/chains.ts"
/** What wallets hold there. */
export * as Holdings from "../../adapters/solana/holdings.ts"
/** One chain: its id, its nodes' URLs, its mint of USDC and the most that is bid for a compute unit. */
export type { Connection } from "../../adapters/solana/node.ts"
/** Makes the transactions that payers' own wallets sign. */
export * as PayerTransactions from "../../adapters/solana/payer-transactions.ts"
/** The key that pays fees and lends rent, from a key backend. */
export { relayerKey } from "../../adapters/solana/relayer-key.ts"
/** Judges what wallets of the chain have signed, and leaves other chains to the layer it is given. */
export * as Signatures from "../../adapters/solana/signatures.ts"
/** Signs, submits and follows transactions; `none` where no such chain is connected. */
export * as Submitter from "../../adapters/solana/submitter.ts"
/** Opens the accounts that USDC lies in. */
export * as TokenAccounts from "../../adapters/solana/token-accounts.ts"
