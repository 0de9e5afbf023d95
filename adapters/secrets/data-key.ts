/**
 * The data key: made once, kept wrapped, and wrapped anew when the key-encryption key changes. The data
 * key itself never changes, so whoever holds it goes on sealing and opening meanwhile.
 */
import { Effect, Redacted } from "effect"
import * as Envelope from "./envelope.ts"
import { type Keyring, KeyringRefused } from "./keyring.ts"

/** Where the wrapped data key is kept, for every process on the same database. */
export interface KeyStore<R> {
  /** Keeps it when nothing is kept yet, and gives back what is kept. */
  readonly keep: (wrapped: string) => Effect.Effect<string, never, R>
  /** Puts one text in the place of another; false when a third one stands there. */
  readonly replace: (wrapped: string, by: string) => Effect.Effect<boolean, never, R>
}

export interface Opened {
  readonly dataKey: Redacted.Redacted<Uint8Array>
  /** `rotated`: it was wrapped under the previous key until now. */
  readonly _tag: "current" | "rotated"
}

const unwrapped = (key: Redacted.Redacted<Uint8Array> | undefined, wrapped: string) =>
  Effect.try({
    try: () => (key === undefined ? undefined : Envelope.unwrap(Redacted.value(key), wrapped)),
    catch: (cause) => cause
  }).pipe(
    Effect.catch((cause) =>
      cause instanceof Envelope.SealBroken ? Effect.undefined : Effect.die(cause)
    )
  )

const refusal = ({ previousKeyEncryptionKey }: Keyring) =>
  new KeyringRefused({
    message: [
      previousKeyEncryptionKey === undefined
        ? "The key-encryption key cannot decrypt the data key of this database."
        : "Neither the key-encryption key nor the previous one can decrypt the data key of this database.",
      "Check BURSAR_KEY_ENCRYPTION_KEY, or the file key-encryption-key of the data directory;",
      "while you rotate it, set BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY to the old one, or store it as the file key-encryption-key.previous."
    ].join(" ")
  })

/** Opens the data key and leaves it wrapped as it is. */
export const read = Effect.fnUntraced(function* (keyring: Keyring, wrapped: string) {
  const dataKey =
    (yield* unwrapped(keyring.keyEncryptionKey, wrapped)) ??
    (yield* unwrapped(keyring.previousKeyEncryptionKey, wrapped))
  return dataKey === undefined ? yield* refusal(keyring) : Redacted.make(dataKey)
})

/** Others may change it as well, but each only once, and to what is the current key for all. */
const maxTurns = 5

/** Opens the data key, and wraps it under the current key when it was still under the previous one. */
export const open = Effect.fnUntraced(function* <R>(keyring: Keyring, keyStore: KeyStore<R>) {
  const current = Redacted.value(keyring.keyEncryptionKey)
  let wrapped = yield* keyStore.keep(Envelope.wrap(current, Envelope.makeDataKey()))
  for (let turn = 0; turn < maxTurns; turn++) {
    const dataKey = yield* unwrapped(keyring.keyEncryptionKey, wrapped)
    if (dataKey !== undefined) {
      return { _tag: "current", dataKey: Redacted.make(dataKey) } satisfies Opened
    }
    const before = yield* unwrapped(keyring.previousKeyEncryptionKey, wrapped)
    if (before === undefined) return yield* refusal(keyring)
    if (yield* keyStore.replace(wrapped, Envelope.wrap(current, before))) {
      yield* Effect.logInfo(
        "The data key is now encrypted with the current key-encryption key; the previous one is no longer needed and can be destroyed."
      )
      return { _tag: "rotated", dataKey: Redacted.make(before) } satisfies Opened
    }
    wrapped = yield* keyStore.keep(wrapped)
  }
  return yield* refusal(keyring)
})
