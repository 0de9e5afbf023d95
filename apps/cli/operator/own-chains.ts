/**
 * The chains of the service that a command runs in, where no setting names them: a sandbox's own. A command that runs by
 * itself has none, and connects as the settings say.
 */
import { Context, Effect } from "effect"
import type { Listed } from "../../../core/tokens/token.ts"
import { connections } from "../../server/chains.ts"
import type { Configuration } from "../../server/configuration.ts"
import type { Environment } from "../../server/setting.ts"
import { tokens } from "../../server/tokens.ts"
import type { Connected } from "../../server/wiring.ts"
import * as Exit from "../exit.ts"

export interface OwnChains {
  readonly connected: Connected
  readonly listed: ReadonlyArray<Listed>
}

export const OwnChains = Context.Reference<OwnChains | undefined>("bursar/cli/OwnChains", {
  defaultValue: () => undefined
})

/** The service's own, or those of the settings. */
export const chainsOf = Effect.fnUntraced(function* (
  configuration: Configuration,
  environment: Environment
) {
  const own = yield* OwnChains
  if (own !== undefined) return own
  return yield* Effect.try({
    try: (): OwnChains => ({
      connected: connections(configuration, environment),
      listed: tokens(configuration.tokens)
    }),
    catch: (error) => Exit.misused((error as Error).message)
  })
})
