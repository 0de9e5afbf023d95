/**
 * `bursar`: the treasury as functions that return Effects. What they need is bound by layers of the other
 * entrances.
 *
 * @example
 * import { authenticate, callsOf } from "bursar"
 * import { Effect } from "effect"
 * export const addressesOf = Effect.fn(function* (apiKey: string) {
 *   const call = callsOf(yield* authenticate(apiKey))
 *   const { wallets } = yield* call.list_wallets({ limit: 10 })
 *   return wallets.map(({ address }) => address)
 * })
 */

/** Returns the caller of an API key; fails with UNAUTHENTICATED if it is unknown, revoked or expired. */
export { authenticate } from "../../core/accounts/authenticate.ts"
/** Opens an account without a caller, as its operator does. It does not create an API key. */
export { openAccount } from "../../core/accounts/open.ts"
/** The chains there are: `Chain.find("base")` by id or CAIP-2, undefined if the id is unknown. */
export * as Chain from "../../core/chains/chain.ts"
/** Creates an API key and returns its text once; nothing of an account is checked but that it exists. */
export { issue as issueKey } from "../../core/keys/create-key.ts"
/** All scopes of API keys, in `Scope.literals`. */
export { Scope } from "../../core/operation/caller.ts"
/** Keeps balances for a minute, so that the portfolio does not ask the chains at each call. */
export * as Readings from "../../core/portfolio/readings.ts"
/** Whether venues answer, remembered for half a minute. */
export * as VenueHealth from "../../core/routing/venue-health.ts"
/** The identity key: keep it with the keys of wallets, it finds payments again if the database is lost. */
export * as Identity from "../../core/submissions/identity.ts"
/** What tokens cost where two sources agree, as trades are judged by it. */
export * as AgreedPrices from "../../core/tokens/agreed-price.ts"
/** The settings that a program gives, and `Settings.defaults`. Money is in millionths, times are in UTC. */
export * as Settings from "../../core/treasury/settings.ts"
/** What the database must say before a wallet's key signs; provide it to the submitter. */
export * as SigningPolicy from "../../core/treasury/signing-policy.ts"
/** The operations as functions of one caller: JSON in, JSON out; an error is a typed failure with a code. */
export { type Calls, callsOf, type Needs } from "../../core/treasury/treasury.ts"
/** All background work, until interrupted: watching chains, expiry, webhooks, sends, tasks and cleanup. */
export { work } from "../../core/treasury/workers.ts"
