/** What every ledger of sales must do: one open sale of a wallet's token, and a day that never passes its cap. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usd from "../../core/money/usd.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Opened, Sale } from "../../core/sales/sale.ts"
import { Sales } from "../../core/sales/sale-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Value from "../support/chain-values.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Sales | Proposals | Accounts | Wallets | Atomically

const day = "2030-01-01"
const plenty = Usd.make(1_000_000n)

/** A sale that nobody has opened: of a wallet and a token of its own, unless they are named. */
const aSale = Effect.fnUntraced(function* (
  accountId: string,
  over: { readonly walletId?: string; readonly worth?: bigint; readonly token?: string } = {}
) {
  const { id: proposalId } = yield* Stored.proposal({ accountId })
  const walletId = over.walletId ?? (yield* Stored.wallet(accountId)).id
  const address = Rows.anAddressKey()
  const sale: Omit<Sale, "state"> = {
    proposalId,
    accountId,
    walletId,
    amount: {
      token: {
        chainId: "base",
        address: over.token === undefined ? address : (over.token as never)
      },
      units: 10n ** 24n
    },
    worthMicro: Usd.make(over.worth ?? 5n),
    day,
    openedAt: Rows.at(0)
  }
  return sale
})

const tag = ({ _tag }: Opened) => _tag

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: sales`, (it) => {
    it.effect("a sale is found as it was opened, whatever the size of its units", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const { id: accountId } = yield* Stored.account()
        const sale = yield* aSale(accountId)
        assert.isUndefined(yield* sales.find(sale.proposalId))
        assert.deepStrictEqual(yield* sales.open(sale, plenty), { _tag: "opened" })
        assert.deepStrictEqual(yield* sales.find(sale.proposalId), { ...sale, state: "open" })
        const { token, units } = sale.amount
        assert.deepStrictEqual(yield* sales.heldOf(sale.walletId), [
          { proposalId: sale.proposalId, token: Value.key(String(token.address)), units }
        ])
      })
    )

    it.effect(
      "of one token of a wallet one sale is open, and the next when its source is final",
      () =>
        Effect.gen(function* () {
          const sales = yield* Sales
          const { id: accountId } = yield* Stored.account()
          const first = yield* aSale(accountId)
          const token = String(first.amount.token.address)
          const second = yield* aSale(accountId, { walletId: first.walletId, token })
          const other = yield* aSale(accountId, { walletId: first.walletId })
          yield* sales.open(first, plenty)
          assert.deepStrictEqual(yield* sales.open(second, plenty), {
            _tag: "busy",
            proposalId: first.proposalId
          })
          assert.strictEqual(tag(yield* sales.open(other, plenty)), "opened")
          assert.lengthOf(yield* sales.heldOf(first.walletId), 2)
          yield* sales.settle(first.proposalId)
          assert.strictEqual(tag(yield* sales.open(second, plenty)), "opened")
          assert.strictEqual((yield* sales.find(first.proposalId))?.state, "left")
        })
    )

    it.effect("what was released is given back, what has left stays counted, and each once", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const { id: accountId } = yield* Stored.account()
        const [kept, undone] = [yield* aSale(accountId), yield* aSale(accountId, { worth: 7n })]
        yield* sales.open(kept, plenty)
        yield* sales.open(undone, plenty)
        yield* sales.open(kept, plenty)
        assert.strictEqual(yield* sales.used(accountId, day), 12n)
        yield* sales.settle(kept.proposalId)
        yield* sales.release(kept.proposalId)
        yield* sales.release(undone.proposalId)
        yield* sales.settle(undone.proposalId)
        assert.strictEqual(yield* sales.used(accountId, day), 5n)
        assert.strictEqual(yield* sales.used(accountId, "2030-01-02"), 0n)
        assert.deepStrictEqual(yield* sales.heldOf(kept.walletId), [])
      })
    )

    it.effect("what has left is told since a day, of the accounts asked for", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const { id: accountId } = yield* Stored.account()
        const { id: otherId } = yield* Stored.account()
        const [gone, open, undone, old] = [
          yield* aSale(accountId),
          yield* aSale(accountId),
          yield* aSale(accountId),
          { ...(yield* aSale(accountId)), day: "2029-12-31" }
        ]
        const foreign = yield* aSale(otherId)
        for (const sale of [gone, open, undone, old, foreign]) yield* sales.open(sale, plenty)
        for (const { proposalId } of [gone, old, foreign]) yield* sales.settle(proposalId)
        yield* sales.release(undone.proposalId)
        const told = Effect.fnUntraced(function* (accounts: ReadonlyArray<string>, from: string) {
          const all = yield* sales.leftSince(accounts, from)
          return all.map(({ walletId }) => walletId).toSorted()
        })
        assert.deepStrictEqual(yield* told([accountId], day), [gone.walletId])
        const both = [gone.walletId, old.walletId].toSorted()
        assert.deepStrictEqual(yield* told([accountId], "2029-12-31"), both)
        const [only] = yield* sales.leftSince([otherId], day)
        assert.deepStrictEqual(only?.amount, foreign.amount)
        assert.deepStrictEqual(yield* told([], day), [])
      })
    )

    it.effect("of days those are told in which a sale counts that is open", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const { id: accountId } = yield* Stored.account()
        const { id: otherId } = yield* Stored.account()
        const all = ["2030-01-03", "2030-01-04", "2030-01-05"]
        const openedOn = (each: string) =>
          Effect.tap(
            Effect.map(aSale(accountId), (sale) => ({ ...sale, day: each })),
            (sale) => sales.open(sale, plenty)
          )
        const [gone, undone] = [yield* openedOn(all[0] ?? ""), yield* openedOn(all[1] ?? "")]
        yield* openedOn(all[2] ?? "")
        yield* openedOn(all[2] ?? "")
        yield* sales.settle(gone.proposalId)
        yield* sales.release(undone.proposalId)
        const asked = all.flatMap((each) => [
          { accountId, day: each },
          { accountId: otherId, day: each }
        ])
        const open = yield* sales.openOn(asked)
        assert.deepStrictEqual(open, [{ accountId, day: all[2] ?? "" }])
        assert.deepStrictEqual(yield* sales.openOn([]), [])
      })
    )

    it.effect("a day that is closed stays closed, for its account and for no other day", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const { id: accountId } = yield* Stored.account()
        const { id: otherId } = yield* Stored.account()
        const sale = yield* aSale(accountId)
        assert.isFalse(yield* sales.isClosed({ accountId, day }))
        assert.strictEqual(tag(yield* sales.open(sale, Usd.zero)), "over")
        yield* sales.close([{ accountId, day }])
        yield* sales.close([{ accountId, day }])
        assert.isTrue(yield* sales.isClosed({ accountId, day }))
        assert.isFalse(yield* sales.isClosed({ accountId, day: "2030-01-02" }))
        assert.isFalse(yield* sales.isClosed({ accountId: otherId, day }))
        // It is only looked for on the chain, where it was counted before; and so it is counted here.
        assert.strictEqual(tag(yield* sales.open(sale, Usd.zero)), "opened")
        assert.strictEqual(yield* sales.used(accountId, day), 5n)
        assert.strictEqual(tag(yield* sales.open(yield* aSale(otherId), Usd.zero)), "over")
      })
    )

    it.effect("of 32 that open at once under a cap of ten, exactly ten do", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const all = yield* Effect.forEach(Array(32).fill(0), () => aSale(accountId, { worth: 1n }))
        const opened = yield* Effect.forEach(all, (sale) => run(sales.open(sale, Usd.make(10n))), {
          concurrency: "unbounded"
        })
        assert.strictEqual(opened.filter((each) => each._tag === "opened").length, 10)
        assert.strictEqual(opened.filter((each) => each._tag === "over").length, 22)
        assert.strictEqual(yield* sales.used(accountId, day), 10n)
      })
    )

    it.effect("of 16 that sell one token of a wallet at once, one does", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const { id: walletId } = yield* Stored.wallet(accountId)
        const token = Rows.anAddressKey()
        const all = yield* Effect.forEach(Array(16).fill(0), () =>
          aSale(accountId, { walletId, token })
        )
        const opened = yield* Effect.forEach(all, (sale) => run(sales.open(sale, plenty)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(opened.filter((each) => each._tag === "opened").length, 1)
        assert.strictEqual(opened.filter((each) => each._tag === "busy").length, 15)
      })
    )
  })
