/**
 * `bursar/memory`: complete implementations of every store and port in memory, for tests and trials.
 *
 * @example
 * import * as Memory from "bursar/memory"
 * import { Atomically } from "bursar/ports"
 * import { Effect } from "effect"
 * const program = Effect.flatMap(Atomically, ({ run }) => run(Effect.succeed("committed")))
 * console.log(await Effect.runPromise(Effect.provide(program, Memory.layer())))
 */

/** Scripted token approvals on a scripted chain. */
export * as Allowances from "../../adapters/memory/allowances.ts"
/** A scripted bridge between two scripted chains; `Bridges.none` carries nothing. */
export * as Bridges from "../../adapters/memory/bridges.ts"
/** A scripted chain as the treasury reads it; `ChainScript` pays, mines and reorganises it. */
export * as Chains from "../../adapters/memory/chains.ts"
/** Balances of a scripted chain, in the token's smallest units. */
export * as Holdings from "../../adapters/memory/holdings.ts"
/** Emails that are kept and not sent; `Mail.none` refuses every email. */
export * as Mail from "../../adapters/memory/mail.ts"
/** All stores in memory, with ids from a seed: the same seed gives the same ids. Nothing outlives the process. */
export { layer } from "../../adapters/memory/memory.ts"
/** Transactions for payers' wallets on a scripted chain, as JSON. */
export * as PayerTransactions from "../../adapters/memory/payer-transactions.ts"
/** Merchants' logos, at the addresses a script says. */
export * as Pictures from "../../adapters/memory/pictures.ts"
/** Scripted prices in USD; `Prices.none` knows only that 1 USDC is 1 USD. */
export * as Prices from "../../adapters/memory/prices.ts"
/** Rate limits of one process, in windows of one minute. */
export * as RateLimits from "../../adapters/memory/rate-limits.ts"
/** The state of scripted chains, which their other parts share. */
export * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
/** Verification of wallets' signatures, without asking contracts. */
export * as Signatures from "../../adapters/memory/signatures.ts"
/** Signs and submits to a scripted chain, under the same signing policy as on a real one. */
export * as Submitter from "../../adapters/memory/submitter.ts"
/** A scripted order book that fills in blocks of a scripted chain; `SwapVenue.none` swaps nothing. */
export * as SwapVenue from "../../adapters/memory/swap-venue.ts"
/** Token accounts of a scripted chain, open once they were paid into or opened. */
export * as TokenAccounts from "../../adapters/memory/token-accounts.ts"
/** Tokens as a scripted provider ranks them; without a script, the treasury's own list alone. */
export * as TokenCatalogue from "../../adapters/memory/token-catalogue.ts"
/** Keys of wallets that everybody knows; never use them with money. */
export * as WalletKeys from "../../adapters/memory/wallet-keys.ts"
/** Keeps webhooks instead of sending them, and answers as scripted. */
export * as WebhookSender from "../../adapters/memory/webhook-sender.ts"
/** What lending markets pay, as a script says; `YieldMarkets.none` asks nobody. */
export * as YieldMarkets from "../../adapters/memory/yield-markets.ts"
/** Vaults of a scripted chain, and what addresses have in them. */
export * as YieldPositions from "../../adapters/memory/yield-positions.ts"
