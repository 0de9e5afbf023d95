/**
 * `bursar/ports`: the interfaces to the outside world, for whoever writes an adapter, and the stores.
 * Each is a service of Effect; the comment on a method says what it takes, returns and fails with.
 *
 * @example
 * import { Mail, MailNotSent, stores } from "bursar/ports"
 * import { Effect, Layer } from "effect"
 * const away = new MailNotSent({ message: "There is no mail server yet.", isFinal: false })
 * export const mail = Layer.succeed(Mail, { send: () => Effect.fail(away) })
 * console.log(`${Object.keys(stores).length} stores`)
 */

/** Runs work in one transaction; notifications are sent after its commit. */
export { Atomically } from "../../core/ports/atomically.ts"
/** Carries tokens from one chain to another. */
export { Bridges } from "../../core/ports/bridge.ts"
/** Reads blocks and transfers of the connected chains; fails with `ChainUnavailable`, which may be retried. */
export { Chains, ChainUnavailable } from "../../core/ports/chains.ts"
/** Signs checkpoints of the audit log. */
export { CheckpointSigner } from "../../core/ports/checkpoint-signer.ts"
/** Reads balances, in the token's smallest units. */
export { Holdings } from "../../core/ports/holdings.ts"
/** Makes ids and random bytes from a source that cannot be guessed. */
export { Ids } from "../../core/ports/ids.ts"
/** One source of keys: what it derives, and how it signs. */
export type { KeyBackend } from "../../core/ports/key-backend.ts"
/** Sends one email; fails with `MailNotSent`, which says whether a retry can help. */
export { Mail, MailNotSent } from "../../core/ports/mail.ts"
/** Wakes workers of all processes; a lost notification costs a second. */
export { Notifier } from "../../core/ports/notifier.ts"
/** Verifies passkeys' registrations and signatures. */
export { Passkeys } from "../../core/ports/passkeys.ts"
/** Brings a merchant's logo from an address; fails with `PictureUnavailable`, which says why. */
export { Pictures, PictureUnavailable } from "../../core/ports/pictures.ts"
/** Prices in USD and their change over 24 hours. */
export { Prices } from "../../core/ports/prices.ts"
/** Hashes, encrypts and decrypts; a value is bound to its table, row and account. */
export { Secrets } from "../../core/ports/secrets.ts"
/** Verifies signatures of wallets; false for a wrong one, `ChainUnavailable` if a contract could not be asked. */
export { Signatures } from "../../core/ports/signatures.ts"
/** Where tokens are swapped: what a venue gives, and how its orders stand by the chain. */
export { SwapVenues } from "../../core/ports/swap-venue.ts"
/** A queue of tasks that survive a crash; a task is repeated until it succeeds, so it must be safe to repeat. */
export { Tasks } from "../../core/ports/tasks.ts"
/** Tokens of a chain as providers rank them. */
export { TokenCatalogue } from "../../core/ports/token-catalogue.ts"
/** Makes one HTTP request to a webhook endpoint; never fails, but says why there was no answer. */
export { WebhookSender } from "../../core/ports/webhook-sender.ts"
/** What lending markets pay, as a provider says. */
export { YieldMarkets } from "../../core/ports/yield-markets.ts"
/** Vaults that earn and what is in them, read from their chain. */
export { YieldPositions } from "../../core/ports/yield-positions.ts"
/** Submits to a chain and reads what became of it. */
export type { Submitter } from "../../core/submissions/submitter.ts"
/** What holds a storage: every store at once. */
export type { AnyStore, Modules } from "../../core/treasury/stores.ts"
/**
 * Every store by its name: the services whose interfaces a storage implements. `Context.Service.Shape` gives the
 * interface of one; the comment on a method says in which order it locks, and what it returns for a row of
 * another account.
 */
/** Makes one storage of a module for each store; the compiler names the store that is missing. */
export { layerOf, stores } from "../../core/treasury/stores.ts"
