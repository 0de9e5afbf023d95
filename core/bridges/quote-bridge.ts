/** The operation that takes a quote of a bridge: nothing moves, and it binds nobody until a proposal uses it. */
import { Effect } from "effect"
import { byScope } from "../operation/authority.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import * as Quote from "../quotes/quote.ts"
import { Quotes } from "../quotes/quote-store.ts"
import { ready } from "../submissions/submitter.ts"
import { blocked, stuckProtocols } from "./stuck.ts"
import * as Subject from "./subject.ts"
import * as TakeQuote from "./take-quote.ts"

/** Refuses what proposing would refuse whoever holds how much: a quote that nobody can use helps nobody. */
const look = Effect.fnUntraced(function* (input: Subject.Asked) {
  const subject = yield* Subject.find(input)
  const { from, to } = subject
  yield* ready(from.chainId, from.accountId)
  yield* ready(to.chainId, to.accountId)
  const taken = yield* TakeQuote.take(subject)
  const stuck = yield* stuckProtocols(from.accountId, from.chainId, to.chainId)
  if (!stuck.some((protocol) => protocol === taken.protocol)) return taken
  return yield* new InvalidRequest({ param: "toWalletId", message: blocked })
})

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
  refusals: [
    ...new Set([...Subject.refusals, ...TakeQuote.refusals]),
    InvalidRequest,
    OutlayLimitExceeded
  ],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      toWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3f",
      sellSymbol: "USDC",
      buySymbol: "USDC",
      amountUsd: "25.00"
    }
  },
  prepare: look,
  handle: Effect.fnUntraced(function* (_input, taken) {
    const quote = yield* TakeQuote.quoteOf(taken)
    yield* (yield* Quotes).add(quote)
    return Quote.view(quote)
  })
})
