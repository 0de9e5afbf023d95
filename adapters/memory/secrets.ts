/**
 * Digests and seals without a secret: the same text gives the same seal, so that a run replays to the
 * letter. It keeps the rules of the port, and hides nothing from anybody.
 */
import { createHash, createHmac } from "node:crypto"
import { Effect, Layer } from "effect"
import { type SecretLocation, Secrets } from "../../core/ports/secrets.ts"

const sha256 = (...parts: ReadonlyArray<Uint8Array | string>): Uint8Array => {
  const digest = createHash("sha256")
  for (const part of parts) digest.update(part)
  return new Uint8Array(digest.digest())
}

const hmac = (key: Uint8Array | string, text: string): string =>
  createHmac("sha256", key).update(text, "utf8").digest("hex")

const bound = ({ table, row, account }: SecretLocation, encoded: string): string =>
  hmac("memory seal", JSON.stringify([table, row, account, encoded]))

export const layer: Layer.Layer<Secrets> = Layer.succeed(Secrets, {
  digest: (text) => hmac("memory pepper", text),
  sha256: (text) => createHash("sha256").update(text, "utf8").digest("hex"),
  hash: sha256,
  sign: hmac,
  seal: (place, text) =>
    Effect.sync(() => {
      const encoded = Buffer.from(text, "utf8").toString("base64url")
      return `${encoded}.${bound(place, encoded)}`
    }),
  open: (place, sealed) =>
    Effect.sync(() => {
      const [encoded = "", seal] = sealed.split(".")
      if (seal !== bound(place, encoded)) throw new Error("This seal was made for another place.")
      return Buffer.from(encoded, "base64url").toString("utf8")
    })
})
