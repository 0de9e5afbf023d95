/** The keys of the treasury's wallets. They never leave it; it tells addresses and, later, signs. */
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
