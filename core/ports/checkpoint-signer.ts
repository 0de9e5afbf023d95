/** The installation's own signature, by which others know that a text came from it. The key never leaves. */
import { Context, type Effect } from "effect"

export class CheckpointSigner extends Context.Service<
  CheckpointSigner,
  {
    /** The 32 bytes of the Ed25519 public key. */
    readonly publicKey: Uint8Array
    /** The 64 bytes of the Ed25519 signature over the text's UTF-8. */
    readonly sign: (text: string) => Effect.Effect<Uint8Array>
  }
>()("bursar/ports/CheckpointSigner") {}
