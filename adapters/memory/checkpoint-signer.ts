/** The checkpoint signer of a treasury in memory: a key that everybody knows, so that a run replays to the letter. */
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto"
import { Effect, Layer } from "effect"
import { CheckpointSigner } from "../../core/ports/checkpoint-signer.ts"

const seed = createHash("sha256").update("memory checkpoint signer").digest()

export const layer: Layer.Layer<CheckpointSigner> = Layer.sync(CheckpointSigner, () => {
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed])
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
  const spki = createPublicKey(key).export({ format: "der", type: "spki" })
  return {
    publicKey: new Uint8Array(spki.subarray(-32)),
    sign: (text) => Effect.sync(() => new Uint8Array(sign(null, Buffer.from(text, "utf8"), key)))
  }
})
