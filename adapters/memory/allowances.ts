/** Port Allowances over the scripted chains: what their approvals say, unless the script says the chain is away. */
import { Effect, Layer } from "effect"
import { Allowances } from "../../core/ports/holdings.ts"
import * as Approvals from "./scripted-approvals.ts"
import * as ScriptedChain from "./scripted-chain.ts"

export const layer = (state: ScriptedChain.State): Layer.Layer<Allowances> =>
  Layer.sync(Allowances, () => {
    const present = (chainId: string) => ScriptedChain.present(state, chainId)
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
