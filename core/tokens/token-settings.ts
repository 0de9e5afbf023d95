/** Which tokens the operator vouches for, beside those everybody knows. */
import { Context } from "effect"
import type { Listed } from "./token.ts"

export class TokenSettings extends Context.Service<
  TokenSettings,
  { readonly tokens: ReadonlyArray<Listed> }
>()("bursar/tokens/TokenSettings") {}
