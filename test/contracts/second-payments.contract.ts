/** What the records of requests and transfers must know of money that comes for a request that is paid. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (
  name: string,
  stores: Layer.Layer<Transfers | PaymentRequests | Wallets | Accounts>
) =>
  layer(stores)(`${name}: second payments`, (it) => {
    it.effect("paid requests are found by amount, paid since a time or by one payer", () =>
      Effect.gen(function* () {
        const { paidLike } = yield* PaymentRequests
        const vault = yield* Stored.vault()
        const [payer, other] = [Rows.anAddressKey(), Rows.anAddressKey()]
        const like = {
          vaultId: vault.id,
          amountMicro: Usdc.make(10_000_000n),
          since: Rows.at(50),
          payerAddress: payer
        }
        const planted = (paidAt: number, over: Partial<PaymentRequest> = {}) =>
          Stored.paymentRequest(vault, {
            status: "paid",
            paidAt: Rows.at(paidAt),
            createdAt: Rows.at(paidAt),
            payerAddress: other,
            ...over
          })
        const old = yield* planted(10, { payerAddress: payer })
        yield* planted(49.999)
        const due = yield* planted(50)
        yield* planted(60, { amountMicro: Usdc.make(9_999_999n) })
        yield* planted(60, { status: "open", paidAt: null })
        yield* planted(60, { status: "expired", paidAt: null, payerAddress: payer })
        const elsewhere = yield* Stored.vault({ accountId: vault.accountId })
        yield* Stored.paymentRequest(elsewhere, { status: "paid", paidAt: Rows.at(60) })
        assert.deepStrictEqual(yield* paidLike(like), [old, due])
        const [third, fourth] = [yield* planted(70), yield* planted(80, { payerAddress: payer })]
        const fifth = yield* planted(81, { payerAddress: payer })
        // Of each kind the two newest; whoever asks needs to know no more than whether there are several.
        assert.deepStrictEqual(yield* paidLike(like), [fourth, fifth])
        const byOther = { ...like, payerAddress: other }
        assert.deepStrictEqual(yield* paidLike(byOther), [due, third, fourth, fifth])
        assert.deepStrictEqual(yield* paidLike({ ...like, since: Rows.at(99), vaultId: "v" }), [])
      })
    )

    it.effect("the first second payments of a request are those that became final first", () =>
      Effect.gen(function* () {
        const { assign, firstRepeats, record } = yield* Transfers
        const vault = yield* Stored.vault()
        const pid = Rows.aPid()
        const repeat = Effect.fnUntraced(function* (over: Partial<Transfer> = {}) {
          const row = Rows.aTransfer(vault, {
            state: "final",
            finalAt: Rows.at(5),
            settlementIssue: "duplicate",
            candidatePids: [pid],
            ...over
          })
          yield* record(row)
          return row
        })
        const last = yield* repeat({ finalAt: Rows.at(9) })
        const two = [yield* repeat(), yield* repeat()].map(({ id }) => id).toSorted()
        const first = yield* repeat({ finalAt: Rows.at(1), seenAt: Rows.at(9) })
        yield* repeat({ state: "seen", finalAt: null })
        yield* repeat({ settlementIssue: "late" })
        yield* repeat({ candidatePids: [Rows.aPid()] })
        yield* repeat({ candidatePids: [pid, Rows.aPid()] })
        const read = (max: number, vaultId = vault.id) => firstRepeats({ vaultId, pid, max })
        assert.deepStrictEqual(yield* read(9), [first.id, ...two, last.id])
        assert.deepStrictEqual(yield* read(2), [first.id, ...two.slice(0, 1)])
        assert.deepStrictEqual(yield* read(9, (yield* Stored.vault()).id), [])
        // However its merchant resolves one, it was one.
        yield* assign(first.id, { ...first, resolution: "own_transfer" })
        assert.deepStrictEqual(yield* read(1), [first.id])
      })
    )
  })
