/**
 * `bursar/ports`: the interfaces to the outside world, for whoever writes an adapter. Each is a service of
 * Effect; the comment on a method says what it takes, returns and fails with.
 *
 * @example
 * import { Layer } from "effect"
 * import { Notifier } from "bursar/ports"
 * const notifier = Layer.succeed(Notifier, { notify, listen })
 */

/** Runs work in one transaction; notifications are sent after its commit. */
export { Atomically } from "../../core/ports/atomically.ts"
/** Reads blocks and transfers of the connected chains. */
export { Chains, ChainUnavailable } from "../../core/ports/chains.ts"
/** Signs checkpoints of the audit log. */
export { CheckpointSigner } from "../../core/ports/checkpoint-signer.ts"
/** Reads balances. */
export { Holdings } from "../../core/ports/holdings.ts"
/** Makes ids and random bytes. */
export { Ids } from "../../core/ports/ids.ts"
/** One source of keys: what it derives, and how it signs. */
export type { KeyBackend } from "../../core/ports/key-backend.ts"
/** Sends one email; fails with `MailNotSent`, which says whether a retry can help. */
export { Mail, MailNotSent } from "../../core/ports/mail.ts"
/** Wakes workers of all processes; a lost notification costs a second. */
export { Notifier } from "../../core/ports/notifier.ts"
/** Verifies passkeys' registrations and signatures. */
export { Passkeys } from "../../core/ports/passkeys.ts"
/** Prices in USD and their change over 24 hours. */
export { Prices } from "../../core/ports/prices.ts"
/** Hashes, encrypts and decrypts; a value is bound to its table, row and account. */
export { Secrets } from "../../core/ports/secrets.ts"
/** Verifies signatures of wallets. */
export { Signatures } from "../../core/ports/signatures.ts"
/** A queue of tasks that survive a crash. */
export { Tasks } from "../../core/ports/tasks.ts"
/** Makes one HTTP request to a webhook endpoint. */
export { WebhookSender } from "../../core/ports/webhook-sender.ts"
/** Submits to a chain and reads what became of it. */
export type { Submitter } from "../../core/submissions/submitter.ts"
