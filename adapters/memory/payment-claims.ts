/** The store of payers' claims in memory. */

import { DateTime, Effect, Layer } from "effect"
import type { PayerStatement } from "../../core/payments/claim.ts"
import { PaymentClaims } from "../../core/payments/transfer-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const keyOf = ({
  chainId,
  txHash,
  payerAddress
}: Pick<PayerStatement, "chainId" | "txHash" | "payerAddress">) =>
  `${chainId} ${txHash} ${payerAddress}`

const claimedAt = (claim: PayerStatement) => DateTime.toEpochMillis(claim.claimedAt)

const definition = define<PayerStatement>()({
  name: "payment claims",
  key: keyOf,
  sorted: {
    request: { group: ({ requestId }) => requestId, at: claimedAt },
    all: { group: () => "all", at: claimedAt }
  }
})

export const layer: Layer.Layer<PaymentClaims, never, MemoryStore> = Layer.effect(
  PaymentClaims,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const claims = store.table(definition)
    return {
      add: (claim, most) =>
        store.write((journal) => {
          const key = keyOf(claim)
          if (claims.get(key) !== undefined) return "known" as const
          if (claims.group("request", claim.requestId).length >= most) return "full" as const
          claims.insert(journal, claim)
          return "kept" as const
        }),
      find: (chainId, txHash, payerAddress) =>
        store.read(() => claims.get(keyOf({ chainId, txHash, payerAddress }))),
      forget: (claimedBefore, max) =>
        store.write((journal) => {
          const old = claims
            .group("all", "all")
            .filter((claim) => DateTime.isLessThan(claim.claimedAt, claimedBefore))
            .slice(0, max)
          for (const claim of old) claims.delete(journal, keyOf(claim))
          return old.length
        })
    }
  })
)
