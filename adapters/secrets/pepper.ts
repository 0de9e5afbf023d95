/**
 * Tells whether a pepper is the one a database knows its API keys by. A key digested under another is
 * one that nobody will ever know again, so with a wrong pepper nothing starts.
 */
import { createHmac } from "node:crypto"
import { Effect, Redacted } from "effect"
import { type Keyring, KeyringRefused } from "./keyring.ts"

/** What may be kept beside the keys: it says which pepper, and nothing about it. */
export const markOf = ({ pepper }: Keyring): string =>
  createHmac("sha256", Redacted.value(pepper)).update("bursar pepper", "utf8").digest("hex")

/** Refuses unless the mark that a database keeps is this pepper's. */
export const check = (keyring: Keyring, kept: string): Effect.Effect<void, KeyringRefused> =>
  kept === markOf(keyring)
    ? Effect.void
    : Effect.fail(
        new KeyringRefused({
          message: [
            "The API keys of this database were hashed with another pepper (the API-key hashing secret).",
            "Check BURSAR_PEPPER, or restore the file pepper in the data directory.",
            "If it is lost, those keys are lost too; bursar keys adopt-pepper switches to this one."
          ].join(" ")
        })
      )
