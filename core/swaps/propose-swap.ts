/**
 * The operation that proposes a swap on a chain where orders are signed. The quote sets the floor: the one that is
 * named, or one that is taken now.
 */
import { Effect, Schema } from "effect"
import { familyOf } from "../chains/address.ts"
import { usdc } from "../chains/usdc.ts"
import { Id } from "../encoding/id.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import * as Proposal from "../proposals/operation.ts"
import * as Bind from "../quotes/bind.ts"
import { QuoteExpired, QuoteMismatch } from "../quotes/refusals.ts"
import { PriceOutOfRange } from "../sales/rules.ts"
import { Sales } from "../sales/sale-store.ts"
import * as Allowed from "../trade/allowed.ts"
import { InsufficientBalance } from "../wallets/balance.ts"
import { wasMade } from "./find-made.ts"
import { quoteOf } from "./quote-swap.ts"
import * as Subject from "./subject.ts"
import { swap } from "./swap.ts"
import * as TakeQuote from "./take-quote.ts"
import { termsFrom } from "./terms.ts"

export const previewQuoteId = Schema.optionalKey(
  Id("A quote of quote_swap for the same wallets, tokens, amount and slippage.")
)

/** What proposing a swap may be refused with beside what its kind is. */
export const refusals = [
  ...new Set([...Subject.refusals, ...TakeQuote.refusals]),
  QuoteExpired,
  QuoteMismatch,
  InsufficientBalance,
  Allowed.InsufficientAllowance,
  OutlayLimitExceeded
] as const

/** What the wallet holds and no open sale does; less than this is sold is refused. */
const covers = Effect.fnUntraced(function* (
  { from, sell }: Subject.Subject,
  heldUnits: bigint,
  sellAmount: bigint
) {
  const held = yield* (yield* Sales).heldOf(from.id)
  const free = held.reduce(
    (left, { token, units }) => (token === sell.address ? left - units : left),
    heldUnits
  )
  if (free >= sellAmount) return
  return yield* new InsufficientBalance({
    param: "amountUsd",
    message: `The wallet has ${free < 0n ? 0n : free} units of ${sell.symbol} to sell, and ${sellAmount} are needed; sell less, or use another wallet.`,
    details: {
      symbol: sell.symbol,
      freeSmallestUnit: String(free),
      sellAmount: String(sellAmount)
    },
    next: { operation: "list_wallets", args: {} }
  })
})

/** Whether the wallet has what is to be sold, and the venue may take it. */
const sellable = Effect.fnUntraced(function* (
  subject: Subject.Subject,
  heldUnits: bigint,
  units: bigint
) {
  yield* covers(subject, heldUnits, units)
  const { from, sell } = subject
  yield* Allowed.require({
    walletId: from.id,
    owner: from.address,
    chainId: from.chainId,
    token: sell.address,
    flow: "intent_swap",
    units
  })
})

/** Refuses what is too far off the price, whoever took the quote and when. */
const inRange = Effect.fnUntraced(function* (
  subject: Subject.Subject,
  { buyAmount, sellAmount }: Pick<TakeQuote.Taken, "buyAmount" | "sellAmount">
) {
  if (yield* TakeQuote.isInRange(subject, { buyAmount, sellAmount })) return
  return yield* new PriceOutOfRange({
    param: "amountUsd",
    message:
      "What the venue gives is more than three percent off the independent price; try again later, or trade less.",
    details: { sellAmount: String(sellAmount), buyAmount: String(buyAmount) }
  })
})

/** Asks the network: prices, the token's contract, the venue unless a quote is named, and the allowance. */
export const prepare = Effect.fnUntraced(function* (
  input: Subject.Asked & { readonly previewQuoteId?: string }
) {
  const subject = yield* Subject.find(input)
  const heldUnits = yield* TakeQuote.heldOf(subject)
  const named = yield* bound(subject, input.previewQuoteId)
  const taken = named === undefined ? yield* TakeQuote.take(subject) : undefined
  if (named !== undefined) yield* TakeQuote.learn(subject)
  const quote = named ?? taken
  if (quote !== undefined) yield* inRange(subject, quote)
  const units = quote?.sellAmount ?? 0n
  const sale = yield* Effect.result(sellable(subject, heldUnits, units))
  const isMade = sale._tag === "Failure" && (yield* wasMade(subject))
  if (sale._tag === "Failure" && !isMade) return yield* sale.failure
  return { taken, heldUnits, isMade }
})

const bound = Effect.fnUntraced(function* (subject: Subject.Subject, quoteId: string | undefined) {
  if (quoteId === undefined) return undefined
  const { amountMicro, buy, from, sell, slippagePercent, to } = subject
  return yield* Bind.usable(quoteId, {
    kind: "swap",
    fromWalletId: from.id,
    toWalletId: to.id,
    sell: TakeQuote.tokenView(sell),
    buy: TakeQuote.tokenView(buy),
    slippagePercent,
    amountMicro
  })
})

/** The quote that sets the floor, in the transaction that stores the proposal. */
export const resolve = Effect.fnUntraced(function* (
  input: Subject.Asked & { readonly previewQuoteId?: string },
  { heldUnits, isMade, taken }: Effect.Success<ReturnType<typeof prepare>>
) {
  const subject = yield* Subject.find(input)
  const named = yield* bound(subject, input.previewQuoteId)
  const quote = named ?? (taken === undefined ? undefined : yield* quoteOf(taken))
  if (quote === undefined) {
    return yield* new InvalidRequest({ param: "previewQuoteId", message: "There is no quote." })
  }
  // What was sold already need not be there again: the order is found, and nothing is signed.
  if (!isMade) yield* covers(subject, heldUnits, quote.sellAmount)
  const chosen: Bind.Chosen = { quote, isStored: named !== undefined }
  return { terms: yield* termsFrom(subject, quote), chosen }
})

export const proposeSwap = Proposal.operation("propose_swap", swap, {
  summary:
    "Proposes to swap one token for another on one chain by a signed order. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId starts it; get_proposal then shows its order, and cancel_proposal asks it to stop.",
  input: {
    ...Subject.fields,
    ...Subject.addresses,
    previewQuoteId
  },
  refusals,
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      sellSymbol: "USDC",
      sellTokenAddress: usdc.base,
      buySymbol: "WETH",
      buyTokenAddress: familyOf("base").exampleAddress,
      amountUsd: "25.00",
      slippagePercent: 0.5
    }
  },
  asks: () => Effect.undefined,
  prepare,
  resolve,
  stored: (proposal, { chosen }) => Bind.bind(chosen, proposal.id)
})
