/** Port Allowances over the scripted chains: what their approvals say, unless the script says the chain is away. */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../core/ports/chains.ts"
import { Allowances } from "../../core/ports/holdings.ts"
import * as Approvals from "./scripted-approvals.ts"
import * as ScriptedChain from "./scripted-chain.ts"

export const layer = (state: ScriptedChain.State): Layer.Layer<Allowances> =>
  Layer.sync(Allowances, () => {
    const present = Effect.fnUntraced(function* (chainId: string) {
      const chain = ScriptedChain.find(state, chainId)
      if (!chain.isAway) return chain
      const detail = "the script says the chain is away"
      return yield* new ChainUnavailable({ chainId, reason: "unreachable", detail })
    })
    return {
      current: (chainId, permissions) =>
        Effect.map(present(chainId), (chain) =>
          permissions.map((permission) => Approvals.current(chain, permission))
        ),
      recent: (chainId, owners) =>
        Effect.map(present(chainId), (chain) =>
          owners.flatMap((owner) =>
            Approvals.lastOf(chain, owner).map(({ token, spender, txHash, at }) => ({
              token,
              owner,
              spender,
              txHash,
              at
            }))
          )
        )
    }
  })
