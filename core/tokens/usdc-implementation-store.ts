/** The store of the contracts behind USDC: for each chain the one that wallets may sign for, and the one seen last. */
import { Context, type DateTime, type Effect } from "effect"

export interface UsdcImplementation {
  readonly chainId: string
  /** The first one that was ever seen, or the one that an operator acknowledged since. */
  readonly accepted: string
  readonly seen: string
  readonly seenAt: DateTime.Utc
}

export class UsdcImplementations extends Context.Service<
  UsdcImplementations,
  {
    /** Undefined while none was seen on the chain. */
    readonly find: (chainId: string) => Effect.Effect<UsdcImplementation | undefined>
    /**
     * Writes down what was seen; the first of a chain is accepted. Whether it is another than the one seen before:
     * of many that see it, one is told so. A look that is older than the last one changes nothing.
     */
    readonly see: (
      chainId: string,
      implementation: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Accepts what was seen last; false when that is another one by now. */
    readonly accept: (chainId: string, implementation: string) => Effect.Effect<boolean>
  }
>()("bursar/tokens/UsdcImplementations") {}
