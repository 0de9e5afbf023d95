/**
 * `bursar/evm`: chains of the EVM family, read and written through JSON-RPC nodes.
 *
 * @example
 * import { Chain } from "bursar"
 * import { Chains, type Connection } from "bursar/evm"
 * const base: Connection = {
 *   chain: Chain.find("base")!,
 *   usdc: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
 *   rpcUrl: "https://mainnet.base.org",
 *   confirmations: 12,
 *   pollMs: 2_000
 * }
 * export const chains = Chains.layer([base])
 */

/** Token approvals by their owner and spender, in the token's smallest units, read from `Approval` logs and `allowance()`. */
export * as Allowances from "../../adapters/evm/allowances.ts"
/** Blocks and USDC transfers, in millionths of a USDC; fails with `ChainUnavailable` while no node responds. */
export * as Chains from "../../adapters/evm/chains.ts"
/** Balances of wallets, in the token's smallest units; a token that answers nonsense is left out. */
export * as Holdings from "../../adapters/evm/holdings.ts"
/** One chain: its id, its node's URL, its USDC contract in any case, and how often to poll it, in milliseconds. */
export type { Connection } from "../../adapters/evm/node.ts"
/** The key that pays gas, from a key backend, and its address with its checksum (EIP-55). */
export { addressOf, relayerKey } from "../../adapters/evm/relayer-key.ts"
/** Verification of wallets' signatures; those of contracts (ERC-1271) ask a node and may fail with `ChainUnavailable`. */
export * as Signatures from "../../adapters/evm/signatures.ts"
/** Signs, submits and follows transactions. It needs the signing policy and the keys of wallets. */
export * as Submitter from "../../adapters/evm/submitter.ts"
/** Vaults that earn and what is in them: ERC-4626, and Aave V3. */
export * as YieldPositions from "../../adapters/evm/yield-positions.ts"
