/** Port: which contract stands behind the USDC of a chain, where its issuer can put another one there. */
import { Context, Effect } from "effect"
import type { ChainUnavailable } from "./chains.ts"

export interface UsdcCodes {
  /** The contract that the token's proxy calls, in lower case; undefined on chains where a token has none. */
  readonly implementation: (chainId: string) => Effect.Effect<string | undefined, ChainUnavailable>
}

/** A treasury that nobody gave one watches none. */
export const UsdcCode = Context.Reference<UsdcCodes>("bursar/ports/UsdcCode", {
  defaultValue: () => ({ implementation: () => Effect.undefined })
})
