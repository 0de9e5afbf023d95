/**
 * `bursar/evm`: chains of the EVM family, read and written through JSON-RPC nodes.
 *
 * @example
 * import * as Evm from "bursar/evm"
 * const chains = Evm.Chains.layer(connections)
 */

/** Token approvals, read from the chain. */
export * as Allowances from "../../adapters/evm/allowances.ts"
/** Blocks and USDC transfers; fails with `ChainUnavailable` while no node responds. */
export * as Chains from "../../adapters/evm/chains.ts"
/** Balances of wallets, in the token's smallest units. */
export * as Holdings from "../../adapters/evm/holdings.ts"
/** One chain: its id, its node's URL, its USDC contract and how often to poll it. */
export type { Connection } from "../../adapters/evm/node.ts"
/** The key that pays gas, from a key backend, and its address in display form. */
export { addressOf, relayerKey } from "../../adapters/evm/relayer-key.ts"
/** Verification of wallets' signatures, those of contracts (ERC-1271) included. */
export * as Signatures from "../../adapters/evm/signatures.ts"
/** Signs, submits and follows transactions. It needs the signing policy and the keys of wallets. */
export * as Submitter from "../../adapters/evm/submitter.ts"
