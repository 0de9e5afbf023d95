/** What the books are read from: the connected chains and the operator's list of tokens. Nothing of it can sign. */

import { Layer } from "effect"
import * as EvmChains from "../../../adapters/evm/chains.ts"
import * as EvmHistory from "../../../adapters/evm/token-history.ts"
import * as SolanaChains from "../../../adapters/solana/chains.ts"
import * as SolanaHistory from "../../../adapters/solana/token-history.ts"
import { TokenSettings } from "../../../core/tokens/token.ts"
import * as ByChain from "../../server/by-chain.ts"
import { connections } from "../../server/chains.ts"
import type { Configuration } from "../../server/configuration.ts"
import type { Environment } from "../../server/setting.ts"
import { tokens } from "../../server/tokens.ts"

/** Throws `SettingRefused` with a sentence. */
export const books = (configuration: Configuration, environment: Environment) => {
  const { chains, solana } = connections(configuration, environment)
  return Layer.mergeAll(
    ByChain.chains([EvmChains.layer(chains), SolanaChains.layer(solana)]),
    ByChain.tokenHistory({ evm: EvmHistory.layer(chains), solana: SolanaHistory.layer(solana) }),
    Layer.succeed(TokenSettings, { tokens: tokens(configuration.tokens) })
  )
}
