/**
 * The wallet root: the seed of all keys and the identity key, made together, kept together and never changed.
 * Either without the other finds no wallet and no payment again, so they are sealed and backed up as one.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Effect, Redacted } from "effect"
import * as Envelope from "./envelope.ts"
import { type Keyring, KeyringRefused } from "./keyring.ts"

const seedBytes = 64
const identityKeyBytes = 32

export interface WalletRoot {
  readonly seed: Redacted.Redacted<Uint8Array>
  readonly identityKey: Redacted.Redacted<Uint8Array>
}

/** A new one, as text to be sealed. */
export const make = (): string => randomBytes(seedBytes + identityKeyBytes).toString("base64")

/** Throws for a text that `make` did not make. */
export const read = (text: string): WalletRoot => {
  const bytes = Buffer.from(text, "base64")
  if (bytes.length !== seedBytes + identityKeyBytes || bytes.toString("base64") !== text) {
    throw new Error("This text is no wallet root.")
  }
  return {
    seed: Redacted.make(new Uint8Array(bytes.subarray(0, seedBytes)), { label: "seed" }),
    identityKey: Redacted.make(new Uint8Array(bytes.subarray(seedBytes)), {
      label: "identity key"
    })
  }
}

/** What a database may keep in the clear: it says which identity key, and nothing about it. */
export const fingerprintOf = (identityKey: Redacted.Redacted<Uint8Array>): string =>
  createHmac("sha256", Redacted.value(identityKey))
    .update("bursar identity key", "utf8")
    .digest("hex")

/** Refuses unless the fingerprint that a database keeps is this identity key's. */
export const check = (
  identityKey: Redacted.Redacted<Uint8Array>,
  kept: string
): Effect.Effect<void, KeyringRefused> =>
  kept === fingerprintOf(identityKey)
    ? Effect.void
    : Effect.fail(
        new KeyringRefused({
          message: [
            "This database was made under another identity key, so payments under way would be signed a second time.",
            "Start with the wallet root that belongs to it: bursar keys restore-root puts one back."
          ].join(" ")
        })
      )

/** For a backup outside of the database: it opens under the key-encryption key alone. */
export const wrap = ({ keyEncryptionKey }: Keyring, root: string): string =>
  Envelope.wrapRoot(Redacted.value(keyEncryptionKey), root)

/** The root that `wrap` wrapped, under the keyring's current key-encryption key or its previous one. */
export const unwrap = Effect.fnUntraced(function* (
  { keyEncryptionKey, previousKeyEncryptionKey }: Keyring,
  wrapped: string
) {
  for (const key of [keyEncryptionKey, previousKeyEncryptionKey]) {
    if (key === undefined) continue
    const opened = yield* Effect.option(
      Effect.try(() => {
        const root = Envelope.unwrapRoot(Redacted.value(key), wrapped.trim())
        read(root)
        return root
      })
    )
    if (opened._tag === "Some") return opened.value
  }
  return yield* new KeyringRefused({
    message:
      "This backup of a wallet root does not open under the key-encryption key. Give the key it was made under, as BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY if that was changed since."
  })
})
