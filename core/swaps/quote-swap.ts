/** The operation that takes a quote of a swap: nothing moves, and it binds nobody until a proposal uses it. */
import { DateTime, Effect, Schema } from "effect"
import { familyOf } from "../chains/address.ts"
import { usdc } from "../chains/usdc.ts"
import { Id } from "../encoding/id.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import { Ids } from "../ports/ids.ts"
import * as Quote from "../quotes/quote.ts"
import { Quotes } from "../quotes/quote-store.ts"
import { ready } from "../submissions/submitter.ts"
import * as Subject from "./subject.ts"
import * as TakeQuote from "./take-quote.ts"

/** The longest that a quote stands, whatever its venue says. */
const standsSeconds = 60

/** The quote that was just taken, as it is stored. */
export const quoteOf = Effect.fnUntraced(function* ({
  feesMicro: _fees,
  isInRange: _range,
  ...taken
}: TakeQuote.Taken) {
  const { accountId } = yield* Caller
  const createdAt = yield* DateTime.now
  const longest = DateTime.add(createdAt, { seconds: standsSeconds })
  const quote: Quote.Quote = {
    ...taken,
    id: yield* (yield* Ids).uuid,
    accountId,
    proposalId: null,
    createdAt,
    expiresAt: DateTime.min(longest, taken.expiresAt)
  }
  return quote
})

export const quoteSwap = Operation.prepared("quote_swap", {
  summary: "Takes a quote for swapping one token for another on one chain. Nothing moves.",
  next: "Pass quoteId as previewQuoteId of propose_swap, or of propose_solana_swap, before expiresAt; propose them without one and a quote is taken then.",
  scope: "account:read",
  sideEffect: "write",
  rateLimit: "quotes",
  authority: byScope,
  input: {
    ...Subject.fields,
    sellTokenAddress: Schema.optionalKey(Subject.addresses.sellTokenAddress),
    buyTokenAddress: Schema.optionalKey(Subject.addresses.buyTokenAddress),
    sellMint: Schema.optionalKey(Subject.mints.sellMint),
    buyMint: Schema.optionalKey(Subject.mints.buyMint),
    toWalletId: Schema.optionalKey(
      Id("On Solana: the wallet that receives, if it is not the selling one.")
    )
  },
  output: Quote.fields,
  refusals: [...new Set([...Subject.refusals, ...TakeQuote.refusals]), OutlayLimitExceeded],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      sellSymbol: "USDC",
      sellTokenAddress: usdc.base,
      buySymbol: "WETH",
      amountUsd: "25.00",
      slippagePercent: 0.5
    }
  },
  prepare: Effect.fnUntraced(function* (input) {
    const subject = yield* Subject.find(input)
    const { accountId, chainId } = subject.from
    // An order is carried by whoever fills it, and a transaction by the relayer.
    if (!familyOf(chainId).takesApprovals) yield* ready(chainId, accountId)
    yield* TakeQuote.heldOf(subject)
    return yield* TakeQuote.take(subject)
  }),
  handle: Effect.fnUntraced(function* (_input, taken) {
    const quote = yield* quoteOf(taken)
    yield* (yield* Quotes).add(quote)
    return Quote.view(quote)
  })
})
