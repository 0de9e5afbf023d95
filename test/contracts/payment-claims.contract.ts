/** What every store of payers' claims must do: let the first word stand, and take no more than it is told to. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { PayerStatement } from "../../core/payments/claim.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import { PaymentClaims } from "../../core/payments/transfer-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = PaymentClaims | PaymentRequests | Accounts | Wallets

const aClaim = (requestId: string, over: Partial<PayerStatement> = {}): PayerStatement => ({
  chainId: "base",
  txHash: Rows.aTxHash(),
  payerAddress: Rows.anAddressKey(),
  requestId,
  claimedAt: Rows.at(0.123),
  ...over
})

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: payment claims`, (it) => {
    it.effect("a payer's first word on a transaction stands, and others have their own", () =>
      Effect.gen(function* () {
        const claims = yield* PaymentClaims
        const vault = yield* Stored.vault()
        const [one, two] = [
          yield* Stored.paymentRequest(vault),
          yield* Stored.paymentRequest(vault)
        ]
        const first = aClaim(one.id)
        const rival = { ...first, requestId: two.id, payerAddress: aClaim(two.id).payerAddress }
        assert.strictEqual(yield* claims.add(rival, 8), "kept")
        assert.strictEqual(yield* claims.add(first, 8), "kept")
        assert.strictEqual(yield* claims.add({ ...first, requestId: two.id }, 8), "known")
        const found = yield* claims.find("base", first.txHash, first.payerAddress)
        assert.deepStrictEqual(found, first)
        assert.isUndefined(yield* claims.find("local", first.txHash, first.payerAddress))
      })
    )

    it.effect("a request takes so many claims and no more, and old ones are forgotten", () =>
      Effect.gen(function* () {
        const claims = yield* PaymentClaims
        const { id } = yield* Stored.paymentRequest(yield* Stored.vault())
        const [old, young] = [aClaim(id, { claimedAt: Rows.at(-9_000_000) }), aClaim(id)]
        const outcomes = yield* Effect.forEach([old, young, aClaim(id), old], (claim) =>
          claims.add(claim, 2)
        )
        assert.deepStrictEqual(outcomes, ["kept", "kept", "full", "known"])
        yield* claims.forget(Rows.at(-8_000_000), 9)
        assert.isUndefined(yield* claims.find("base", old.txHash, old.payerAddress))
        assert.deepStrictEqual(yield* claims.find("base", young.txHash, young.payerAddress), young)
        assert.strictEqual(yield* claims.add(aClaim(id), 2), "kept")
      })
    )
  })
