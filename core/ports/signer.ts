/** Derives wallets' addresses from keys that never leave the adapter. Signing is in `Submitter`. */
import { Context, type Effect } from "effect"

export class Signer extends Context.Service<
  Signer,
  {
    /** The addresses, in the chain's display form, of these derivation indexes. */
    readonly addressesOf: (
      chainId: string,
      derivationIndexes: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("bursar/ports/Signer") {}
