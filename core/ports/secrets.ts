/** Keyed digests and sealing. Sealed text opens only at the place it was sealed for. */
import { Context, type Effect } from "effect"

/** Where a sealed value stands: the additional data that binds it to its row. */
export interface SecretLocation {
  readonly table: string
  readonly row: string
  readonly account: string
}

export class Secrets extends Context.Service<
  Secrets,
  {
    /** Hex HMAC-SHA256 under the installation's pepper: how API keys are kept. */
    readonly digest: (text: string) => string
    /** Hex SHA-256 of UTF-8 text. */
    readonly sha256: (text: string) => string
    /** The 32 bytes of SHA-256 over the parts one after another; text is its UTF-8. */
    readonly hash: (...parts: ReadonlyArray<Uint8Array | string>) => Uint8Array
    /** Hex HMAC-SHA256 of UTF-8 text under a secret: its bytes, or the UTF-8 ones of its text (spec section 6, Signature). */
    readonly sign: (secret: Uint8Array | string, text: string) => string
    readonly seal: (place: SecretLocation, text: string) => Effect.Effect<string>
    /** Opens what `seal` made; a value moved to another place, or changed, is a defect. */
    readonly open: (place: SecretLocation, sealed: string) => Effect.Effect<string>
  }
>()("bursar/ports/Secrets") {}
