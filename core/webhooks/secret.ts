/** Signing secrets: how one is made, and the key that Standard Webhooks reads out of the same text. */
import { Effect, Schema } from "effect"
import { Ids } from "../ports/ids.ts"

const prefix = "whsec_"

const toBase64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)
const fromBase64 = Schema.decodeSync(Schema.Uint8ArrayFromBase64)
const fromHex = Schema.decodeSync(Schema.Uint8ArrayFromHex)

/** `whsec_` and base64 of 32 random bytes; the whole text is the key of our own signature. */
export const newSecret = Effect.gen(function* () {
  return `${prefix}${toBase64(yield* (yield* Ids).bytes(32))}`
})

/** Standard Webhooks takes the bytes behind the prefix for the key, where we take the text itself. */
export const standardKey = (secret: string): Uint8Array => fromBase64(secret.slice(prefix.length))

export const hexToBase64 = (hex: string): string => toBase64(fromHex(hex))
