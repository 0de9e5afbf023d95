/** The store of wallets' transactions that no submission has, in memory: one row for a nonce. */
import { Effect, Layer } from "effect"
import type { NonceOf, ToldNonce } from "../../core/evm/call.ts"
import { UsedNonces } from "../../core/evm/used-nonce-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const walletKey = (chainId: string, sender: string) => JSON.stringify([chainId, sender])

const keyOf = ({ chainId, nonce, sender }: NonceOf) => JSON.stringify([chainId, sender, nonce])

const definition = define<ToldNonce>()({
  name: "used nonces",
  key: keyOf,
  sorted: {
    ofWallet: {
      group: ({ chainId, sender }) => walletKey(chainId, sender),
      at: ({ nonce }) => nonce
    }
  }
})

export const layer: Layer.Layer<UsedNonces, never, MemoryStore> = Layer.effect(
  UsedNonces,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const rows = store.table(definition)
    return {
      keep: (used) =>
        store.write((journal) => {
          if (rows.get(keyOf(used)) === undefined) rows.insert(journal, used)
        }),
      replace: (used) => store.write((journal) => rows.replace(journal, used)),
      forget: (of) => store.write((journal) => rows.delete(journal, keyOf(of))),
      from: (chainId, sender, first) =>
        store.read(() =>
          rows.group("ofWallet", walletKey(chainId, sender)).filter(({ nonce }) => nonce >= first)
        )
    }
  })
)
