/** Derives wallets' addresses from keys that never leave the adapter. Signing is in `Submitter`. */
import { Context, type Effect } from "effect"
import type { KeyRef } from "../chains/key.ts"

export class Signer extends Context.Service<
  Signer,
  {
    /** The key of the wallet that is opened as this number. */
    readonly keyAt: (number: number) => KeyRef
    /** The addresses of these keys, in the chain's display form. */
    readonly addressesOf: (
      chainId: string,
      keys: ReadonlyArray<KeyRef>
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("bursar/ports/Signer") {}
