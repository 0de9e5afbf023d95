/** Uses a quote for a proposal: only while it stands, only once, and only for what it was taken for. */
import { DateTime, Effect } from "effect"
import { familyOf } from "../chains/address.ts"
import * as Usd from "../money/usd.ts"
import { findOwn } from "../operation/own.ts"
import type { Next } from "../operation/refusal.ts"
import type { Quote } from "./quote.ts"
import { Quotes } from "./quote-store.ts"
import { QuoteExpired, QuoteMismatch } from "./refusals.ts"

/** What a proposal asks for, as a quote has it. */
export type Asked = Pick<
  Quote,
  "kind" | "fromWalletId" | "toWalletId" | "sell" | "buy" | "slippagePercent" | "amountMicro"
>

const tokenOf = ({ chainId, tokenAddress }: Quote["sell"]) => `${chainId} ${tokenAddress}`

const differing = (quote: Quote, asked: Asked): ReadonlyArray<string> => [
  ...(quote.kind === asked.kind ? [] : ["kind"]),
  ...(quote.fromWalletId === asked.fromWalletId ? [] : ["fromWalletId"]),
  ...(quote.toWalletId === asked.toWalletId ? [] : ["toWalletId"]),
  ...(tokenOf(quote.sell) === tokenOf(asked.sell) ? [] : ["sell"]),
  ...(tokenOf(quote.buy) === tokenOf(asked.buy) ? [] : ["buy"]),
  ...(quote.amountMicro === asked.amountMicro ? [] : ["amountUsd"]),
  ...(quote.slippagePercent === asked.slippagePercent ? [] : ["slippagePercent"])
]

const tokenFields = (side: "sell" | "buy", { chainId, symbol, tokenAddress }: Quote["sell"]) => ({
  [`${side}Symbol`]: symbol,
  [`${side}${familyOf(chainId).tokenField}`]: tokenAddress
})

/** The call that takes a quote for just this. */
const quoting = (asked: Asked): Next => {
  const { amountMicro, buy, fromWalletId, kind, sell, slippagePercent, toWalletId } = asked
  const args = {
    fromWalletId,
    toWalletId,
    ...tokenFields("sell", sell),
    ...tokenFields("buy", buy)
  }
  const amountUsd = Usd.format(amountMicro)
  return kind === "swap"
    ? { operation: "quote_swap", args: { ...args, amountUsd, slippagePercent } }
    : { operation: "quote_bridge", args: { ...args, amountUsd } }
}

const expired = (message: string, next: Next) =>
  new QuoteExpired({ param: "previewQuoteId", message, next })

/** The caller's quote, if it may be used for this now. */
export const usable = Effect.fnUntraced(function* (quoteId: string, asked: Asked) {
  const missing = { param: "previewQuoteId", what: "quote", operation: "quote_swap" }
  const quote = yield* findOwn(missing, (accountId) =>
    Quotes.use(({ find }) => find(accountId, quoteId))
  )
  if (quote.proposalId !== null) {
    return yield* expired("A proposal has used this quote already; take a new one.", quoting(asked))
  }
  if (DateTime.isLessThanOrEqualTo(quote.expiresAt, yield* DateTime.now)) {
    return yield* expired(
      "This quote has expired; take a new one, or leave previewQuoteId out.",
      quoting(asked)
    )
  }
  const differs = differing(quote, asked)
  if (differs.length === 0) return quote
  return yield* new QuoteMismatch({
    param: "previewQuoteId",
    message: `The quote was taken for another ${differs.join(", ")}; take a new one, or leave previewQuoteId out.`,
    details: { differs },
    next: quoting(asked)
  })
})

/** What sets the floor of a proposal: the caller's own quote, or one that was taken for it and is not stored yet. */
export interface Chosen {
  readonly quote: Quote
  readonly isStored: boolean
}

/** Uses it for a proposal that was stored, in the same transaction; one that was taken for it is written once. */
export const bind = Effect.fnUntraced(function* ({ isStored, quote }: Chosen, proposalId: string) {
  const quotes = yield* Quotes
  if (!isStored) return yield* quotes.add({ ...quote, proposalId })
  if (yield* quotes.bind(quote.id, proposalId)) return
  return yield* new QuoteExpired({
    param: "previewQuoteId",
    message: "A proposal has used this quote already; take a new one."
  })
})
