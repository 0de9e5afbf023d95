/** What every store of quotes must do: keep each to the unit, show it to its account alone, and let it be used once. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Quote } from "../../core/quotes/quote.ts"
import { Quotes } from "../../core/quotes/quote-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as QuoteRows from "../support/quote-rows.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Quotes | Proposals | Accounts | Wallets | Atomically

const aQuote = Effect.fnUntraced(function* (over: Partial<Quote> = {}) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const { id: walletId } = yield* Stored.wallet(accountId)
  const quote = QuoteRows.aQuote(accountId, walletId, over)
  yield* (yield* Quotes).add(quote)
  return quote
})

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: quotes`, (it) => {
    it.effect("a quote is found as it was taken, and by no other account", () =>
      Effect.gen(function* () {
        const { find } = yield* Quotes
        const quote = yield* aQuote()
        assert.deepStrictEqual(yield* find(quote.accountId, quote.id), quote)
        assert.isUndefined(yield* find((yield* Stored.account()).id, quote.id))
        assert.isUndefined(yield* find(quote.accountId, Rows.anId()))
      })
    )

    it.effect("a quote is used for one proposal, however many want it at once", () =>
      Effect.gen(function* () {
        const { bind, find } = yield* Quotes
        const { run } = yield* Atomically
        const quote = yield* aQuote()
        const { accountId, id } = quote
        const proposals = yield* Effect.forEach(Array(8).fill(0), () =>
          Stored.proposal({ accountId })
        )
        const bound = yield* Effect.forEach(proposals, (each) => run(bind(id, each.id)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(bound.filter(Boolean).length, 1)
        const used = yield* find(accountId, id)
        assert.strictEqual(used?.proposalId, proposals[bound.indexOf(true)]?.id)
      })
    )

    it.effect("a quote that was taken for a proposal is stored as used", () =>
      Effect.gen(function* () {
        const { bind, find } = yield* Quotes
        const { accountId, id: proposalId } = yield* Stored.proposal()
        const other = yield* Stored.proposal({ accountId })
        const quote = yield* aQuote({ accountId, proposalId })
        assert.isFalse(yield* bind(quote.id, other.id))
        assert.deepStrictEqual(yield* find(accountId, quote.id), quote)
      })
    )

    it.effect("quotes are forgotten once they ended long ago, in batches", () =>
      Effect.gen(function* () {
        const { find, forget } = yield* Quotes
        const old = { createdAt: Rows.at(-500), expiresAt: Rows.at(-400) }
        const [one, two, young] = [yield* aQuote(old), yield* aQuote(old), yield* aQuote()]
        assert.strictEqual(yield* forget(Rows.at(-399), 1), 1)
        assert.strictEqual(yield* forget(Rows.at(-399), 5), 1)
        assert.isUndefined(yield* find(one.accountId, one.id))
        assert.isUndefined(yield* find(two.accountId, two.id))
        assert.isDefined(yield* find(young.accountId, young.id))
      })
    )
  })
