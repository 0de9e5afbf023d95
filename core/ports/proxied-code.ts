/** Port: what stands behind tokens whose contracts hand their work on, as the list of tokens may say it of them. */
import { Context, Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { ChainUnavailable } from "./chains.ts"

export interface ProxiedCodes {
  /** In the order asked, as `Says` has it; undefined for a token that does its own work. */
  readonly behind: (
    chainId: string,
    tokens: ReadonlyArray<AddressKey>
  ) => Effect.Effect<ReadonlyArray<string | undefined>, ChainUnavailable>
}

/** Where nobody tells, no token is known to be a proxy. */
export const ProxiedCode = Context.Reference<ProxiedCodes>("bursar/ports/ProxiedCode", {
  defaultValue: () => ({ behind: (_, tokens) => Effect.succeed(tokens.map(() => undefined)) })
})
