/** The operation that proposes a bridge: a quote is used or taken, and becomes the floor that is approved. */
import { DateTime, Effect, Schema } from "effect"
import { keyOf } from "../chains/address.ts"
import { usdc } from "../chains/usdc.ts"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Usd from "../money/usd.ts"
import { Caller } from "../operation/caller.ts"
import {
  IdempotencyKeyReused,
  UnsupportedChain,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { OutlayLimitExceeded } from "../policy/outlay.ts"
import { Bridges } from "../ports/bridge.ts"
import * as Proposal from "../proposals/operation.ts"
import * as Bind from "../quotes/bind.ts"
import type { Quote } from "../quotes/quote.ts"
import { QuoteExpired, QuoteMismatch } from "../quotes/refusals.ts"
import { checkFree, PriceOutOfRange } from "../sales/rules.ts"
import { Sales } from "../sales/sale-store.ts"
import * as Worth from "../sales/worth.ts"
import { ofProposal } from "../submissions/identity.ts"
import { Identity } from "../timeline/identity.ts"
import * as Allowed from "../trade/allowed.ts"
import * as Balance from "../wallets/balance.ts"
import { bridge } from "./bridge.ts"
import { type Found, findLeft, hasWay } from "./find-left.ts"
import * as MaxCoin from "./max-coin.ts"
import { bridgeOf } from "./read-journey.ts"
import * as Subject from "./subject.ts"
import * as TakeQuote from "./take-quote.ts"
import { journeyOf, type Terms } from "./terms.ts"

/** Nothing leaves later, however long approvals take: as long as a confirmed proposal may wait for them. */
const leavesWithinDays = 8

type Given = Subject.Asked & { readonly previewQuoteId?: string }

const endOf = ({ chainId, tokenAddress }: Quote["sell"]) => ({
  chainId,
  token: keyOf(chainId, tokenAddress)
})

const termsOf = (
  { from, to }: Subject.Subject,
  quote: TakeQuote.Taken | Quote,
  now: DateTime.Utc
) => {
  const approved: Terms = {
    fromWalletId: from.id,
    fromAddress: from.address,
    toWalletId: to.id,
    receiver: to.address,
    sell: quote.sell,
    sellAmount: quote.sellAmount,
    buy: quote.buy,
    minBuyAmount: quote.minBuyAmount,
    protocol: quote.protocol === "dln" ? "dln" : "cctp",
    slippagePercent: String(quote.slippagePercent),
    worthUsd: Usd.format(quote.worthMicro),
    maxCostUsd: Usd.format(quote.valueAtRiskMicro),
    ...MaxCoin.readFrom(quote.details),
    notAfter: DateTime.add(now, { days: leavesWithinDays })
  }
  return approved
}

/** What left before under the idempotency key of this call, though the records do not know it. */
const leftBefore = Effect.fnUntraced(function* (approved: Terms) {
  const { accountId, call } = yield* Caller
  if (call === undefined) return undefined
  const identity = (yield* Identity).derive(ofProposal({ id: "", accountId, call }))
  const bridge = yield* bridgeOf(approved.protocol)
  const floor = { minBuyAmount: approved.minBuyAmount, offer: {} }
  // Nothing is signed before the chain was asked again.
  const found = yield* Effect.option(findLeft(bridge, journeyOf(approved, identity, floor)))
  return found._tag === "Some" ? found.value : undefined
})

/** What left before is followed as it left, whatever would be quoted today. */
const asItLeft = Effect.fnUntraced(function* (
  subject: Subject.Subject,
  approved: Terms,
  left: Found | undefined
) {
  if (left?.start._tag !== "left") return approved
  const { protocol, slips } = left.bridge
  const { minBuyAmount, maxCoin: _other, ...rest } = approved
  const floorAmount = slips ? Worth.minInRange(minBuyAmount) : minBuyAmount
  const maxCoin =
    protocol === approved.protocol
      ? approved.maxCoin
      : yield* TakeQuote.maxCoinOf(subject, left.bridge, approved.sellAmount)
  return {
    ...rest,
    protocol,
    minBuyAmount: floorAmount,
    ...(maxCoin === undefined ? {} : { maxCoin })
  }
})

/** An order is taken from the wallet by a standing allowance; a burn brings its permit along. */
const requireAllowed = ({ from, sell }: Subject.Subject, approved: Terms) =>
  approved.protocol === "dln"
    ? Allowed.require({
        walletId: from.id,
        owner: from.address,
        chainId: from.chainId,
        token: sell.address,
        flow: "limit_order_bridge",
        units: approved.sellAmount
      })
    : Effect.void

/** The caller's quote, unless its bridge has no such way any more: a restart may have come between. */
const boundTo = Effect.fnUntraced(function* (quoteId: string, asked: Bind.Asked) {
  const quote = yield* Bind.usable(quoteId, asked)
  const ends = { from: endOf(quote.sell), to: endOf(quote.buy) }
  const bridge = (yield* Bridges).find(({ protocol }) => protocol === quote.protocol)
  if (bridge !== undefined && hasWay(bridge, ends)) return quote
  return yield* new QuoteExpired({
    param: "previewQuoteId",
    message: `The bridge ${quote.protocol} of this quote is not offered any more; take a new one, or leave previewQuoteId out.`
  })
})

/** Asks the network: prices, a bridge, what the wallet holds, and whether both chains can be submitted to. */
const look = Effect.fnUntraced(function* (given: Given) {
  const subject = yield* Subject.find(given)
  const { from, to } = subject
  const asked = {
    kind: "bridge",
    fromWalletId: from.id,
    toWalletId: to.id,
    ...TakeQuote.namesOf(subject),
    amountMicro: subject.amountMicro
  } as const
  const bound =
    given.previewQuoteId === undefined ? undefined : yield* boundTo(given.previewQuoteId, asked)
  const quote = bound ?? (yield* TakeQuote.take(subject))
  // A quote that was taken before is judged as one that is taken now.
  if (!(yield* TakeQuote.isInRange(subject, quote))) {
    return yield* new PriceOutOfRange({
      param: "amountUsd",
      message: "The bridge would cost more than three percent of the amount; send more at once."
    })
  }
  const { maxCoin } = MaxCoin.readFrom(quote.details)
  yield* MaxCoin.readyFor(from.accountId, from.chainId, to.chainId, maxCoin)
  const heldUnits = yield* Balance.held(from)
  const quoted = termsOf(subject, quote, yield* DateTime.now)
  const left = yield* leftBefore(quoted)
  const approved: Terms = yield* asItLeft(subject, quoted, left)
  if (left?.start._tag !== "left") yield* requireAllowed(subject, approved)
  return {
    subject,
    bound,
    quote,
    approved,
    heldUnits,
    left: left?.start
  }
})
/** A key that has sent something else. */
const sentBefore = ({ sell }: Terms, txId: string) =>
  new IdempotencyKeyReused({
    param: "idempotencyKey",
    message: `This idempotency key was already used for another bridge, in ${txId}; use a new key for a new one.`,
    outcome: "executed",
    details: { chainId: sell.chainId, txHash: txId }
  })

/** What the wallet holds, less what its other sales hold. */
const free = Effect.fnUntraced(function* (heldUnits: bigint, { fromWalletId, sell }: Terms) {
  const held = yield* (yield* Sales).heldOf(fromWalletId)
  const token = keyOf(sell.chainId, sell.tokenAddress)
  return held.reduce((rest, each) => (each.token === token ? rest - each.units : rest), heldUnits)
})

const tooLittle = (freeUnits: bigint, { sellAmount }: Terms) =>
  new Balance.InsufficientBalance({
    param: "amountUsd",
    message: "The wallet holds less than the amount; send less, or use another wallet.",
    details: { heldSmallestUnit: String(freeUnits), amountSmallestUnit: String(sellAmount) },
    next: { operation: "list_wallets", args: {} }
  })

/** The quote that sets the floor, in the transaction that stores the proposal. */
const resolve = Effect.fnUntraced(function* (
  _given: Given,
  seen: Effect.Success<ReturnType<typeof look>>
) {
  const { approved, bound, heldUnits, left, quote, subject } = seen
  if (left?._tag === "taken") return yield* sentBefore(approved, left.txId)
  if (left?._tag !== "left" && heldUnits !== undefined) {
    const freeUnits = yield* free(heldUnits, approved)
    if (freeUnits < approved.sellAmount) return yield* tooLittle(freeUnits, approved)
  }
  yield* checkFree({
    walletId: approved.fromWalletId,
    amount: {
      token: { chainId: subject.from.chainId, address: subject.sell.address },
      units: approved.sellAmount
    }
  })
  // A quote that was used meanwhile is used no more.
  const chosen: Bind.Chosen =
    bound === undefined
      ? { quote: yield* TakeQuote.quoteOf(quote), isStored: false }
      : { quote: yield* Bind.usable(bound.id, { ...bound, kind: "bridge" }), isStored: true }
  return { terms: approved, chosen }
})

export const proposeBridge = Proposal.operation("propose_bridge", bridge, {
  summary:
    "Proposes to send a token from one chain to another, to the account's own wallet there. Nothing moves yet.",
  next: "confirm_proposal with the returned proposalId sends it; get_proposal shows its steps until it has arrived.",
  input: {
    ...Subject.fields,
    sellTokenAddress: Text.Line(64).annotate({ description: "What is sent, by its contract." }),
    buyTokenAddress: Text.Line(64).annotate({ description: "What arrives, by its contract." }),
    previewQuoteId: Schema.optionalKey(Id("A quote of quote_bridge; without it one is taken now."))
  },
  refusals: [
    ...Subject.refusals,
    ...TakeQuote.refusals,
    QuoteExpired,
    QuoteMismatch,
    PriceOutOfRange,
    Allowed.InsufficientAllowance,
    IdempotencyKeyReused,
    Balance.InsufficientBalance,
    UnsupportedChain,
    OutlayLimitExceeded,
    UpstreamUnavailable
  ],
  example: {
    input: {
      fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
      toWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3f",
      sellTokenAddress: usdc.base,
      buyTokenAddress: String(usdc.arbitrum),
      sellSymbol: "USDC",
      buySymbol: "USDC",
      amountUsd: "25.00"
    }
  },
  asks: () => Effect.undefined,
  prepare: look,
  resolve,
  stored: (proposal, { chosen }) => Bind.bind(chosen, proposal.id)
})
