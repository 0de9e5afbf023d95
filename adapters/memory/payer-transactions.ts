/** Port PayerTransactions in memory: what is to be paid as JSON, for a payer that holds enough on the scripted chain. */
import { Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import { PayerTransactions } from "../../core/ports/payer-transactions.ts"
import * as ScriptedChain from "./scripted-chain.ts"

export const layer = (state: ScriptedChain.State): Layer.Layer<PayerTransactions> =>
  Layer.succeed(PayerTransactions, {
    make: ({ chain, payTo, reference, units }, payer) =>
      Effect.map(ScriptedChain.present(state, chain.id), (scripted) => {
        if (scripted.coins.get(Address.keyOf(chain.id, payer)) === 0n) return { _tag: "no_coin" }
        const heldMicro = ScriptedChain.balance(scripted, payer)
        if (heldMicro < units) return { _tag: "too_little", heldMicro }
        const paying = { from: payer, to: payTo, amountMicro: units.toString(), reference }
        return {
          _tag: "made",
          transaction: Buffer.from(JSON.stringify(paying)).toString("base64")
        }
      })
  })
