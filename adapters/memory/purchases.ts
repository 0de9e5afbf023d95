/** The store of purchases in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Purchase } from "../../core/policy/purchase.ts"
import { Purchases } from "../../core/policy/spending-ledger.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<Purchase>()({
  name: "purchases",
  key: ({ settlementId }) => settlementId,
  unique: { transaction: ({ chainId, txHash }) => `${chainId} ${txHash}` }
})

export const layer: Layer.Layer<Purchases, never, MemoryStore> = Layer.effect(
  Purchases,
  Effect.map(MemoryStore, (store) => {
    const purchases = store.table(definition)
    return {
      record: (purchase) =>
        store.write((journal) => {
          const { chainId, settlementId, txHash } = purchase
          const isKnown =
            purchases.get(settlementId) !== undefined ||
            purchases.by("transaction", `${chainId} ${txHash}`) !== undefined
          if (!isKnown) purchases.insert(journal, purchase)
          return !isKnown
        }),
      ofSettlement: (settlementId) => store.read(() => purchases.get(settlementId)),
      eraseKeys: (now, max) =>
        store.write((journal) => {
          const over = purchases.all
            .filter(({ eraseAt }) => eraseAt !== null && DateTime.isLessThanOrEqualTo(eraseAt, now))
            .slice(0, max)
          for (const purchase of over) {
            purchases.replace(journal, { ...purchase, sealedKey: null, eraseAt: null })
          }
          return over.length
        }),
      eraseKeysOf: (accountId, keyIds) =>
        store.write((journal) => {
          for (const purchase of purchases.all) {
            const { accountId: owner, keyId } = purchase
            if (owner !== accountId || keyId === null || !keyIds.includes(keyId)) continue
            purchases.replace(journal, { ...purchase, sealedKey: null, eraseAt: null })
          }
        })
    }
  })
)
