/**
 * Looks after an order of a swap, from a fresh quote to its end on the chain. The order is written down before it is
 * signed, signed before it is placed, and placed as often as needed; it ends by a finalized block alone.
 */
import { DateTime, Effect, Option, Schema } from "effect"
import { keyOf } from "../chains/address.ts"
import * as Usd from "../money/usd.ts"
import { boughtTooLittle, routeRefused } from "../operation/metrics.ts"
import * as Venue from "../ports/swap-venue.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { bpsOf } from "../quotes/quote.ts"
import { whyClosed } from "../sales/closed-day.ts"
import * as Worth from "../sales/worth.ts"
import { ofProposal } from "../submissions/identity.ts"
import { Identity } from "../timeline/identity.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import * as Pinned from "../tokens/pinned.ts"
import type { Wait } from "../waits/wait.ts"
import { alone, type Look } from "../waits/watches.ts"
import { cancellation } from "./cancel-order.ts"
import { findMade } from "./find-made.ts"
import * as Judge from "./judge.ts"
import { filledBy, type Journal, journalIn, written } from "./order-journal.ts"
import { sign } from "./sign-order.ts"
import { heldBy, judged } from "./take-quote.ts"
import { Terms } from "./terms.ts"

/** How long an order lives, and how long a quote is fresh enough to sign by. */
const orderSeconds = 300
const freshSeconds = 60
const againMs = 15_000
const pollMs = 5_000
/** The chain should have finalized a block past the last order's time by then. */
const stuckMinutes = 45

const readTerms = Schema.decodeUnknownSync(Schema.toCodecJson(Terms))

const decodeWaited = Schema.decodeUnknownSync(Schema.Struct({ latestValidTo: Schema.Int }))

const larger = (one: bigint, other: bigint): bigint => (one < other ? other : one)

/** Nothing was signed and nothing will be. */
const over = (reason: string): Look => ({
  reason,
  ended: { isDone: false, evidence: null },
  nextLookMs: 0
})

/** Nothing is signed yet: another look may go on, until the time for orders is over. */
const later = (wait: Wait, reason: string, now: DateTime.Utc): Look =>
  DateTime.isGreaterThan(now, wait.deadline)
    ? over(reason)
    : { journal: written({}), reason, nextLookMs: againMs }

const ofVenue = (failure: Venue.QuoteFailure): string => {
  switch (failure._tag) {
    case "RouteNotAvailable":
      return "The venue has no way between these tokens now."
    case "AmountBelowMinimum":
      return "The amount is below the venue's minimum now."
    case "VenueUnavailable":
      return `The venue ${failure.protocol} does not respond; it is asked again.`
    case "TransfersClosed":
      return failure.detail
  }
}

const isPassing = (failure: Venue.QuoteFailure): boolean =>
  failure._tag === "VenueUnavailable" || (failure._tag === "TransfersClosed" && failure.isPassing)

/** A venue that answers something else than it was asked for is told to the operator. */
const tellOperator = Effect.fnUntraced(function* (
  { chainId, proposalId }: Wait,
  failure: Venue.QuoteFailure
) {
  if (failure._tag !== "VenueUnavailable" || failure.reason !== "malformed") return
  yield* Effect.logError(
    `The venue ${failure.protocol} on ${chainId} did not answer what it was asked for proposal ${proposalId}, and nothing was signed: ${failure.detail}.`
  )
  yield* routeRefused(chainId)
})

const tokensOf = Effect.fnUntraced(function* ({ buy, chainId, sell }: Terms) {
  const [sold, bought] = [
    yield* Pinned.at(chainId, sell.tokenAddress),
    yield* Pinned.at(chainId, buy.tokenAddress)
  ]
  return sold === undefined || bought === undefined ? undefined : { sell: sold, buy: bought }
})

/** Decides the order by a fresh quote: the larger of the floor and the quote less slippage. */
const decide = Effect.fnUntraced(function* (
  wait: Wait,
  proposal: Proposal,
  swap: Terms,
  venue: Venue.OrderVenue,
  now: DateTime.Utc
) {
  const tokens = yield* tokensOf(swap)
  if (tokens === undefined) return over("One of the tokens is no longer on the list.")
  const [sold, bought] = yield* heldBy(swap.chainId, swap.fromAddress, tokens)
  if (sold === undefined || bought === undefined) {
    const { symbol } = sold === undefined ? swap.sell : swap.buy
    return over(
      `The contract of ${symbol} is not there, or has another symbol, other code or other decimals than the list says; nothing of it is traded.`
    )
  }
  yield* Judge.foresee(swap)
  if ((yield* (yield* AgreedPrices).known(tokens.sell)) === undefined) {
    return later(wait, `${swap.sell.symbol} has no price that two sources agree on now.`, now)
  }
  const slippageBps = bpsOf(swap.slippagePercent)
  const given = yield* Effect.result(
    venue.quote({
      chainId: swap.chainId,
      owner: keyOf(swap.chainId, swap.fromAddress),
      receiver: keyOf(swap.chainId, swap.receiver),
      sell: tokens.sell.address,
      sellAmount: swap.sellAmount,
      buy: tokens.buy.address,
      slippageBps
    })
  )
  if (given._tag === "Failure") {
    yield* tellOperator(wait, given.failure)
    const reason = ofVenue(given.failure)
    return isPassing(given.failure) ? later(wait, reason, now) : over(reason)
  }
  const quote = given.success
  if (quote.buyAmount < swap.minBuyAmount) {
    return over("The venue gives less now than was approved as the least; propose it again.")
  }
  const fresh = Worth.floorOf(quote.buyAmount, slippageBps)
  const minBuyAmount = larger(fresh, swap.minBuyAmount)
  const cost = yield* Effect.option(judged(tokens, quote, minBuyAmount))
  if (Option.isNone(cost)) return later(wait, "A price has just grown old; it is asked again.", now)
  const { isInRange, valueAtRiskMicro } = cost.value
  if (!isInRange) return over(Judge.outOfRange)
  if (valueAtRiskMicro > swap.maxCostUsd) {
    return over(
      `It would put ${Usd.format(valueAtRiskMicro)} USD at risk now, and ${Usd.format(swap.maxCostUsd)} was approved.`
    )
  }
  const order: Venue.SwapOrder = {
    identity: (yield* Identity).derive(ofProposal(proposal)),
    chainId: swap.chainId,
    owner: keyOf(swap.chainId, swap.fromAddress),
    receiver: keyOf(swap.chainId, swap.receiver),
    sell: tokens.sell.address,
    sellAmount: swap.sellAmount,
    buy: tokens.buy.address,
    minBuyAmount,
    validTo: Math.min(
      decodeWaited(wait.terms).latestValidTo,
      Math.floor(DateTime.toEpochMillis(now) / 1000) + orderSeconds
    )
  }
  return {
    journal: written({ order, quotedAt: now }),
    reserve: valueAtRiskMicro,
    nextLookMs: 0
  } satisfies Look
})

const isFresh = ({ quotedAt }: Journal, now: DateTime.Utc): boolean =>
  quotedAt !== undefined &&
  DateTime.isGreaterThan(DateTime.add(quotedAt, { seconds: freshSeconds }), now)

/** Signs what was written down, while its quote is fresh. */
const signed = Effect.fnUntraced(function* (
  wait: Wait,
  proposal: Proposal,
  venue: Venue.OrderVenue,
  order: Venue.SwapOrder,
  now: DateTime.Utc
) {
  if (!isFresh(journalIn(wait), now)) {
    return later(wait, "Its quote has grown old; another is taken.", now)
  }
  const signedOrder = yield* sign(proposal, venue, order)
  return { journal: written({ order, signed: signedOrder }), nextLookMs: 0 } satisfies Look
})

const waiting = (wait: Wait, reason: string | null, now: DateTime.Utc): Look => ({
  reason,
  isStuck: DateTime.isGreaterThan(now, DateTime.add(wait.deadline, { minutes: stuckMinutes })),
  nextLookMs: pollMs
})

/** Hands over what was signed; what the venue answers proves nothing. */
const place = Effect.fnUntraced(function* (
  wait: Wait,
  venue: Venue.OrderVenue,
  order: Venue.SignedOrder,
  now: DateTime.Utc
) {
  const placed = yield* Effect.result(venue.place(order))
  if (placed._tag === "Success") return waiting(wait, null, now)
  const { failure } = placed
  yield* tellOperator(wait, failure)
  return waiting(
    wait,
    failure._tag === "RouteNotAvailable"
      ? `The venue refuses the order (${failure.detail}); it dies at its time.`
      : ofVenue(failure),
    now
  )
})

/** Begins its cancellation on the chain, once. The order may be filled before; then that counts. */
const cancelled = Effect.fnUntraced(function* (
  wait: Wait,
  venue: Venue.OrderVenue,
  order: Venue.SignedOrder
) {
  const proposal = yield* (yield* Proposals).find(wait.accountId, wait.proposalId)
  if (proposal === undefined) return over("Its proposal is gone.")
  const swap = readTerms(proposal.terms)
  return {
    journal: written({ ...journalIn(wait), isCancelled: true }),
    reason: "It is being cancelled on the chain.",
    submissions: [cancellation(swap, venue.invalidation(order))],
    nextLookMs: pollMs
  } satisfies Look
})

/** Whether a transaction can still end the order before its own time does. */
const isCancellable = (wait: Wait, { validTo }: Venue.SignedOrder, now: DateTime.Utc): boolean =>
  wait.isStopAsked &&
  journalIn(wait).isCancelled !== true &&
  DateTime.toEpochMillis(now) < validTo * 1000

/** Follows a signed order to its end on the chain. */
const follow = Effect.fnUntraced(function* (
  wait: Wait,
  venue: Venue.OrderVenue,
  order: Venue.SignedOrder,
  now: DateTime.Utc
) {
  const answer = yield* Effect.result(venue.status(order))
  const mayCancel = isCancellable(wait, order, now)
  if (answer._tag === "Failure") {
    return mayCancel && answer.failure._tag === "VenueUnavailable"
      ? yield* cancelled(wait, venue, order)
      : waiting(wait, answer.failure.message, now)
  }
  const status = answer.success
  switch (status._tag) {
    case "filled": {
      if (!status.isFinal) return waiting(wait, null, now)
      const { boughtAmount, txId } = status.fill
      if (boughtAmount < order.minBuyAmount) {
        yield* Effect.logError(
          `Proposal ${wait.proposalId} got ${boughtAmount} units, and ${order.minBuyAmount} were signed as the least.`
        )
        yield* boughtTooLittle(wait.chainId)
      }
      return {
        journal: written({ ...journalIn(wait), filled: filledBy(status.fill) }),
        ended: { isDone: true, evidence: { type: "transaction" as const, id: txId } },
        nextLookMs: 0
      } satisfies Look
    }
    case "dead":
      return {
        reason:
          status.txId === null
            ? "The order was not filled in its time."
            : "The order was cancelled on the chain.",
        ended: { isDone: false, evidence: { type: "block" as const, id: status.block } },
        nextLookMs: 0
      } satisfies Look
    case "absent":
    case "open":
      if (mayCancel) return yield* cancelled(wait, venue, order)
      if (wait.isStopAsked) return waiting(wait, "It ends by the chain, filled or cancelled.", now)
      return status._tag === "open"
        ? waiting(wait, null, now)
        : yield* place(wait, venue, order, now)
  }
})

const look = Effect.fnUntraced(function* (wait: Wait) {
  const now = yield* DateTime.now
  const { order, signed: placed } = journalIn(wait)
  const venue = Venue.venueOn(yield* Venue.SwapVenues, wait.chainId)
  if (venue?.execution !== "order") {
    const reason = `There is no venue of orders on ${wait.chainId} now.`
    // Whoever has a signed order may still fill it, whatever this treasury is connected to by now.
    return placed === undefined ? later(wait, reason, now) : waiting(wait, reason, now)
  }
  if (placed !== undefined) return yield* follow(wait, venue, placed, now)
  const proposal = yield* (yield* Proposals).find(wait.accountId, wait.proposalId)
  if (proposal === undefined) return over("Its proposal is gone.")
  const swap = readTerms(proposal.terms)
  // Just before an order is decided it is asked, so a fresh one is signed at once; what stood for longer is asked again.
  const isDecided = order !== undefined && isFresh(journalIn(wait), now) && !wait.isStopAsked
  const made = isDecided ? undefined : yield* findMade(wait, proposal, swap, venue)
  if (made !== undefined) return made
  if (wait.isStopAsked) return over("It was cancelled before an order was signed.")
  const closed = yield* whyClosed(wait.proposalId)
  if (closed !== undefined) return over(closed)
  // Not of before the look: that may take minutes, and a quote of now would count as old.
  const asked = yield* DateTime.now
  return order === undefined
    ? yield* decide(wait, proposal, swap, venue, asked)
    : yield* signed(wait, proposal, venue, order, asked)
})

export const orderWatch = alone(look, {
  isUnbegun: (wait) => journalIn(wait).signed === undefined
})
