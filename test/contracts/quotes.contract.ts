/** What every store of quotes must do: keep each to the unit, show it to its account alone, and let it be used once. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usd from "../../core/money/usd.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Quote } from "../../core/quotes/quote.ts"
import { Quotes } from "../../core/quotes/quote-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Quotes | Proposals | Accounts | Wallets | Atomically

const token = (symbol: string, decimals: number) => ({
  chainId: "base",
  tokenAddress: Rows.anAddress(),
  symbol,
  decimals
})

const aQuote = Effect.fnUntraced(function* (over: Partial<Quote> = {}) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const { id: walletId } = yield* Stored.wallet(accountId)
  const quote: Quote = {
    id: Rows.anId(),
    accountId,
    kind: "swap",
    protocol: "cow",
    fromWalletId: walletId,
    toWalletId: walletId,
    sell: token("USDC", 6),
    buy: token("WETH", 18),
    sellAmount: 12_500_000n,
    buyAmount: 10n ** 30n + 1n,
    minBuyAmount: 10n ** 30n - 5n,
    slippagePercent: 0.25,
    fees: [
      { kind: "network", symbol: "USDC", amount: 123n, amountUsd: Usd.make(123n) },
      { kind: "protocol", symbol: "GOLD", amount: 10n ** 20n, amountUsd: null }
    ],
    priceImpactPct: null,
    amountMicro: Usd.make(12_500_000n),
    worthMicro: Usd.make(12_500_000n),
    valueAtRiskMicro: Usd.make(62_623n),
    estimatedSeconds: 30,
    details: { route: ["a", "b"] },
    proposalId: null,
    createdAt: Rows.at(0),
    expiresAt: Rows.at(60),
    ...over
  }
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
