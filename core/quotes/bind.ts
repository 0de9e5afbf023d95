/** Uses a quote for a proposal: only while it stands, only once, and only for what it was taken for. */
import { DateTime, Effect } from "effect"
import { findOwn } from "../operation/own.ts"
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

const expired = (message: string) => new QuoteExpired({ param: "previewQuoteId", message })

/** The caller's quote, if it may be used for this now. */
export const usable = Effect.fnUntraced(function* (quoteId: string, asked: Asked) {
  const missing = { param: "previewQuoteId", what: "quote", operation: "quote_swap" }
  const quote = yield* findOwn(missing, (accountId) =>
    Quotes.use(({ find }) => find(accountId, quoteId))
  )
  if (quote.proposalId !== null) {
    return yield* expired("A proposal has used this quote already; take a new one.")
  }
  if (DateTime.isLessThanOrEqualTo(quote.expiresAt, yield* DateTime.now)) {
    return yield* expired("This quote has expired; take a new one, or leave previewQuoteId out.")
  }
  const differs = differing(quote, asked)
  if (differs.length === 0) return quote
  return yield* new QuoteMismatch({
    param: "previewQuoteId",
    message: `The quote was taken for another ${differs.join(", ")}; take a new one, or leave previewQuoteId out.`,
    details: { differs }
  })
})

/** Uses it for a proposal that was stored, in the same transaction. */
export const bind = Effect.fnUntraced(function* (quoteId: string, proposalId: string) {
  if (yield* (yield* Quotes).bind(quoteId, proposalId)) return
  return yield* expired("A proposal has used this quote already; take a new one.")
})
