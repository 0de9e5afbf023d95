/** What every store of purchases must do: one transaction buys one thing, and keys are gone after their day. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Purchases } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Rows from "../support/rows.ts"
import * as SettlementRows from "../support/settlement-rows.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (name: string, stores: Layer.Layer<Purchases | Accounts | Atomically>) =>
  layer(stores)(`${name}: purchases`, (it) => {
    it.effect("a purchase is read back as it was, by its settlement", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const { id } = yield* Stored.account({ kind: "agent" })
        const renewal = { purpose: "renewal", keyId: null, sealedKey: null, eraseAt: null } as const
        const rows = [SettlementRows.anOnboarding(id), SettlementRows.anOnboarding(id, renewal)]
        for (const row of rows) {
          assert.isTrue(yield* purchases.record(row))
          assert.deepStrictEqual(yield* purchases.ofSettlement(row.settlementId), row)
        }
        assert.isUndefined(yield* purchases.ofSettlement(Rows.anId()))
      })
    )

    it.effect("of many for one transaction, or one settlement, one is written down", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const { run } = yield* Atomically
        const { id } = yield* Stored.account({ kind: "agent" })
        const first = SettlementRows.anOnboarding(id)
        const { settlementId, txHash } = first
        const rivals = [
          ...Array.from({ length: 32 }, () => SettlementRows.anOnboarding(id, { txHash })),
          ...Array.from({ length: 32 }, () =>
            SettlementRows.anOnboarding(id, { txHash, settlementId })
          )
        ]
        const written = yield* Effect.all(
          rivals.map((row) => run(purchases.record(row))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(written.filter(Boolean), 1)
        const elsewhere = SettlementRows.anOnboarding(id, { txHash, chainId: "polygon" })
        assert.isTrue(yield* purchases.record(elsewhere))
        assert.isFalse(
          yield* purchases.record(
            SettlementRows.anOnboarding(id, { settlementId: elsewhere.settlementId })
          )
        )
      })
    )

    it.effect("a key is erased at the end of its day, and not before", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const { id } = yield* Stored.account({ kind: "agent" })
        const row = SettlementRows.anOnboarding(id, { eraseAt: Rows.at(-5) })
        yield* purchases.record(row)
        yield* purchases.eraseKeys(Rows.at(-5.001), 9)
        assert.deepStrictEqual(yield* purchases.ofSettlement(row.settlementId), row)
        assert.strictEqual(yield* purchases.eraseKeys(Rows.at(-5), 9), 1)
        assert.deepStrictEqual(yield* purchases.ofSettlement(row.settlementId), {
          ...row,
          sealedKey: null,
          eraseAt: null
        })
        assert.strictEqual(yield* purchases.eraseKeys(Rows.at(-5), 9), 0)
      })
    )

    it.effect("keys are erased before their day is over, those that are named alone", () =>
      Effect.gen(function* () {
        const purchases = yield* Purchases
        const { id } = yield* Stored.account({ kind: "agent" })
        const { id: otherId } = yield* Stored.account({ kind: "agent" })
        const [gone, kept] = [SettlementRows.anOnboarding(id), SettlementRows.anOnboarding(id)]
        const foreign = SettlementRows.anOnboarding(otherId)
        for (const row of [gone, kept, foreign]) yield* purchases.record(row)
        const named = [gone, foreign].flatMap(({ keyId }) => keyId ?? [])
        yield* purchases.eraseKeysOf(id, [...named, Rows.anId()])
        yield* purchases.eraseKeysOf(id, [])
        const erased = { ...gone, sealedKey: null, eraseAt: null }
        for (const row of [erased, kept, foreign]) {
          assert.deepStrictEqual(yield* purchases.ofSettlement(row.settlementId), row)
        }
      })
    )
  })
