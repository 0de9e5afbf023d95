/** The checkpoint signer over a key of this process: made from a seed that its caller keeps sealed. */
import { Effect, Layer, Redacted } from "effect"
import { CheckpointSigner } from "../../core/ports/checkpoint-signer.ts"
import * as Ed25519 from "./ed25519.ts"

/** From the 32 bytes of the private key. */
export const layer = (seed: Redacted.Redacted<Uint8Array>): Layer.Layer<CheckpointSigner> =>
  Layer.sync(CheckpointSigner, () => {
    const key = Ed25519.privateKeyOf(Redacted.value(seed))
    return {
      publicKey: Ed25519.publicBytesOf(key),
      sign: (text) => Effect.sync(() => Ed25519.signed(key, text))
    }
  })
