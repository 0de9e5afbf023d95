/** Digests and seals with Node's cryptography, under keys that never leave their wrappers. */
import { createHash, createHmac } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { Secrets } from "../../core/ports/secrets.ts"
import * as Envelope from "./envelope.ts"

export interface Keys {
  /** Under which API keys are digested; from the keyring. */
  readonly pepper: Redacted.Redacted<Uint8Array>
  /** Unwrapped by the keyring's key-encryption key. */
  readonly dataKey: Redacted.Redacted<Uint8Array>
}

const sha256 = (...parts: ReadonlyArray<Uint8Array | string>): Uint8Array => {
  const digest = createHash("sha256")
  for (const part of parts) digest.update(part)
  return new Uint8Array(digest.digest())
}

const hmac = (key: string | Uint8Array, text: string): string =>
  createHmac("sha256", key).update(text, "utf8").digest("hex")

export const layer = ({ pepper, dataKey }: Keys): Layer.Layer<Secrets> =>
  Layer.succeed(Secrets, {
    digest: (text) => hmac(Redacted.value(pepper), text),
    sha256: (text) => createHash("sha256").update(text, "utf8").digest("hex"),
    hash: sha256,
    sign: hmac,
    seal: (place, text) => Effect.sync(() => Envelope.seal(Redacted.value(dataKey), place, text)),
    open: (place, sealed) =>
      Effect.sync(() => Envelope.open(Redacted.value(dataKey), place, sealed))
  })
