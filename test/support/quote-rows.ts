/** A quote of a swap, as a venue gives it; nobody has used it. */
import * as Usd from "../../core/money/usd.ts"
import type { Quote } from "../../core/quotes/quote.ts"
import * as Rows from "./rows.ts"

const token = (symbol: string, decimals: number) => ({
  chainId: "base",
  tokenAddress: Rows.anAddress(),
  symbol,
  decimals
})

export const aQuote = (accountId: string, walletId: string, over: Partial<Quote> = {}): Quote => ({
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
})
