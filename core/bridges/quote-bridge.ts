/** The operation that takes a quote of a bridge: nothing moves, and it binds nobody until a proposal uses it. */
import { Effect } from "effect"
import { byScope } from "../operation/authority.ts"
import * as Operation from "../operation/operation.ts"
import * as Quote from "../quotes/quote.ts"
import * as Subject from "./subject.ts"
import * as TakeQuote from "./take-quote.ts"

export const quoteBridge = Operation.prepared("quote_bridge", {
  summary:
    "Takes a quote for sending a token from one chain to another, to the account's own wallet there. Nothing moves.",
  next: "Pass quoteId as previewQuoteId of propose_bridge before expiresAt; propose without one and a quote is taken then.",
  scope: "account:read",
  sideEffect: "write",
  rateLimit: "quotes",
  authority: byScope,
  input: Subject.fields,
  output: Quote.fields,
  refusals: [...new Set([...Subject.refusals, ...TakeQuote.refusals])],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      toWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3f",
      sellSymbol: "USDC",
      buySymbol: "USDC",
      amountUsd: "25.00"
    }
  },
  prepare: (input) => Effect.flatMap(Subject.find(input), TakeQuote.take),
  handle: (_input, taken) => Effect.map(TakeQuote.store(taken), Quote.view)
})
