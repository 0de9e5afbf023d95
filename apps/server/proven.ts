/**
 * Refuses to start on a chain whose USDC does not sign as it says: what would be signed for it, by us or by
 * a payer, is worth nothing. A chain that does not answer is no reason; it is looked at when it is used.
 */
import { Effect, Layer } from "effect"
import { familyOf } from "../../core/chains/address.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Chains } from "../../core/ports/chains.ts"
import { SettingRefused } from "./setting.ts"

const patience = "3 seconds"

const tokensProven = Effect.gen(function* () {
  const { connected, tip } = yield* Chains
  const { tokenName } = yield* EvmRelay
  const prove = (chainId: string) =>
    (familyOf(chainId).takesApprovals
      ? Effect.asVoid(tokenName(chainId))
      : Effect.asVoid(tip(chainId))
    ).pipe(
      Effect.timeoutOption(patience),
      Effect.catchTag("ChainUnavailable", ({ message, reason }) =>
        reason === "wrong_chain"
          ? Effect.fail(new SettingRefused({ variable: "BURSAR_CHAINS", message }))
          : Effect.void
      )
    )
  yield* Effect.forEach(connected, ({ chain }) => prove(chain.id), {
    concurrency: "unbounded",
    discard: true
  })
})

export const proven = Layer.effectDiscard(tokensProven)
