/** Port TokenAccounts in memory: an account is open once somebody was paid or it was opened, and costs its rent. */
import { Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import { TokenAccounts } from "../../core/ports/token-accounts.ts"
import * as ScriptedChain from "./scripted-chain.ts"

const rentAndFee = 2_044_280n

export const layer = (state: ScriptedChain.State): Layer.Layer<TokenAccounts> =>
  Layer.sync(TokenAccounts, () => {
    const present = (chainId: string) => ScriptedChain.present(state, chainId)
    return {
      isOpen: (chainId, owner) =>
        Effect.map(present(chainId), (chain) => {
          const key = Address.keyOf(chainId, owner)
          return chain.openAccounts.has(key) || ScriptedChain.balance(chain, key) > 0n
        }),
      cost: (chainId) => Effect.as(present(chainId), rentAndFee),
      open: (chainId, owner) =>
        Effect.map(present(chainId), (chain) => {
          chain.openAccounts.add(Address.keyOf(chainId, owner))
        })
    }
  })
