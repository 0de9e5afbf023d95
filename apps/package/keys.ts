/**
 * `bursar/keys`: keys of wallets, from a seed or a key management service, and the secrets of the database.
 *
 * @example
 * import { Kms, Seed } from "bursar/keys"
 * export const fromSeed = Seed.backend(crypto.getRandomValues(new Uint8Array(64)))
 * export const fromService = (client: Kms.Client) => Kms.backend(client, { prefix: "bursar" })
 */

/** Keys that never leave a key management service; only digests are sent to it. */
export * as Kms from "../../adapters/keys/kms.ts"
/** Keys derived from one seed of 64 bytes (BIP-32, SLIP-0010); the same seed finds the same wallets again. */
export * as Seed from "../../adapters/keys/seed.ts"
/** The keys of wallets over one or more backends, each known by the name that wallets keep. */
export * as WalletKeys from "../../adapters/keys/wallet-keys.ts"
/** Signs the checkpoints of the audit log with Ed25519. */
export * as CheckpointSigner from "../../adapters/secrets/checkpoint-signer.ts"
/** Random ids and bytes, from the operating system's source. */
export * as Ids from "../../adapters/secrets/ids.ts"
/** Hashes API keys with a pepper of 32 bytes and encrypts secrets with a data key of 32 bytes. */
export * as Secrets from "../../adapters/secrets/secrets.ts"
