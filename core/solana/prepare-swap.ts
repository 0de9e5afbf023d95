/**
 * The steps of a swap up to a signed transaction: a fresh quote says the least that is signed for, the venue's way is
 * made into a message of ours, checked and tried, and only then signed. A way that does anything else is never signed.
 */
import { Clock, DateTime, Effect, Schema } from "effect"
import { routeRefused } from "../operation/metrics.ts"
import { type QuoteFailure, SwapVenues, venueOn } from "../ports/swap-venue.ts"
import { purposeOf } from "../submissions/purposes.ts"
import { recovered } from "../submissions/recover.ts"
import type { Submission } from "../submissions/submission.ts"
import type { FoundPayment, Step } from "../submissions/submitter.ts"
import { isBehind } from "./horizon.ts"
import * as Journal from "./journal.ts"
import { type Asked, onward, preparedAgain, waiting } from "./look.ts"
import { charged } from "./outlay.ts"
import { affordable, behindWaitMs, nextBid, orderOf } from "./prepare.ts"
import * as Reason from "./reasons.ts"
import { type Conditions, SolanaRelay } from "./relay.ts"
import { type Asking, minimumOf, type Route, RouteJson } from "./swap.ts"

/** As often is a swap tried, each time with a way of its own. */
export const maxTries = 3

const venueWaitMs = 5_000
const againWaitMs = 2_000
const outlayWaitMs = 60_000

const failing = (submission: Submission, reason: string): Step =>
  onward({ ...submission, status: "failed", reason })

/** What a swap's place on the chain says of it: what was bought, and what that took, is written down with the end. */
export const settled = (submission: Submission, swap: Asking, found: FoundPayment): Step => {
  const step = recovered(submission, found, swap)
  const { bought, networkFee } = found
  if (step.at.status !== "final" || bought === undefined) return step
  const fee = networkFee === undefined ? {} : { networkFee: `${networkFee}` }
  const journal = { ...step.at.journal, received: `${bought.units}`, ...fee }
  return { ...step, at: { ...step.at, journal } }
}

/** One try was in vain; nothing of it can take effect. After the last one it ends. */
export const triedInVain = (submission: Submission, reason: string): Step => {
  const journal = Journal.read(submission)
  const tries = journal.tries ?? 0
  const { at } = preparedAgain(Journal.write(submission, { ...journal, tries }))
  return tries >= maxTries
    ? failing(at, Reason.triedOut(tries, reason))
    : waiting({ ...at, reason }, againWaitMs)
}

const counted = (submission: Submission): Submission => {
  const journal = Journal.read(submission)
  return Journal.write(submission, { ...journal, tries: (journal.tries ?? 0) + 1 })
}

/** The venue's way is not the swap that it was asked for: told to the operator, and not taken. */
const refused = Effect.fnUntraced(function* (submission: Submission, violation: string) {
  yield* Effect.logError(
    `The way that the venue names for submission ${submission.id} was not signed: ${violation}.`
  )
  yield* routeRefused(submission.chainId)
  return triedInVain(counted(submission), Reason.routeRefused)
})

const withoutQuote = (submission: Submission, failure: QuoteFailure): Step => {
  switch (failure._tag) {
    case "VenueUnavailable":
      return waiting({ ...submission, reason: Reason.venueAway }, venueWaitMs)
    case "RouteNotAvailable":
      return failing(submission, Reason.noRoute)
    case "TransfersClosed":
      return failure.isPassing
        ? waiting({ ...submission, reason: failure.detail }, venueWaitMs)
        : failing(submission, `${failure.detail} Nothing was sold.`)
    case "AmountBelowMinimum":
      return failing(submission, Reason.tooSmallToSwap)
  }
}

/** A way for at least so much, found now; or what becomes of the submission without one. */
const wayFor = Effect.fnUntraced(function* (submission: Submission, swap: Asking) {
  const venue = venueOn(yield* SwapVenues, submission.chainId)
  if (venue?.execution !== "transaction") {
    return yield* Effect.die(new Error(`Nothing is swapped on ${submission.chainId}.`))
  }
  const { amount, buy, chainId, from, notAfter, slippageBps, to } = swap
  const pair = { chainId, owner: from, receiver: to, buy, sellAmount: amount.units }
  const sell = amount.token.address ?? buy
  const asking = Effect.gen(function* () {
    const { buyAmount } = yield* venue.quote({ ...pair, sell, slippageBps })
    if (buyAmount < swap.minBuyAmount) return failing(submission, Reason.belowFloor)
    const minBuyAmount = minimumOf(buyAmount, swap)
    const built = yield* venue.build({ ...pair, sell, minBuyAmount, validTo: notAfter })
    // A venue's own form is what its adapter makes, and any other is a bug of it.
    const route = yield* Effect.orDie(Schema.decodeUnknownEffect(RouteJson)(built))
    return { route, bought: { buyAmount, minBuyAmount } }
  })
  return yield* asking.pipe(
    Effect.catch((failure) => Effect.succeed(withoutQuote(submission, failure)))
  )
})

interface Way {
  readonly swap: Asking
  readonly route: Route
  readonly conditions: Conditions
}

/** Tries it, charges it, and signs as both; it is written down before it is handed over. */
const signed = Effect.fnUntraced(function* (submission: Submission, way: Way) {
  const { conditions, route, swap } = way
  const relay = yield* SolanaRelay
  const trial = yield* relay.trySwap(swap, route, conditions)
  switch (trial._tag) {
    case "marked":
      return waiting(submission)
    case "refused":
      return yield* refused(submission, trial.violation)
    case "would_fail":
      return trial.isPassing
        ? triedInVain(counted(submission), trial.reason)
        : failing(submission, trial.reason)
  }
  const { opensAccount, units } = trial
  const priority = nextBid(Journal.read(submission).bid, conditions)
  const bid = { units, opensAccount, priority }
  if (!(yield* charged(submission, bid, conditions))) {
    return waiting({ ...submission, reason: Reason.outlayReached }, outlayWaitMs)
  }
  const order = yield* orderOf(submission)
  const transaction = yield* relay.signSwap(order, swap, route, bid, conditions)
  const { lastValidBlockHeight } = conditions
  const attempt = { ...transaction, lastValidBlockHeight, at: yield* DateTime.now }
  const tried = counted(submission)
  const written = Journal.write(tried, {
    ...Journal.read(tried),
    attempts: [attempt],
    bid: priority,
    minimum: swap.minBuyAmount
  })
  const step: Step = { at: { ...written, status: "submitted", reason: null }, next: "submit" }
  return step
})

/** Makes the first transaction of a swap, or the next one when all before it are dead. */
export const prepareSwap = Effect.fnUntraced(function* (
  submission: Submission,
  swap: Asking,
  asked: Asked
) {
  const relay = yield* SolanaRelay
  const onChain = yield* relay.findPayment(swap)
  if (onChain !== undefined) return settled(submission, swap, onChain)
  // A block that had it is gone.
  if (submission.status !== "prepared") return preparedAgain(submission)
  if (yield* isBehind) {
    return waiting({ ...submission, reason: Reason.recordsBehind }, behindWaitMs)
  }
  const nowMs = yield* Clock.currentTimeMillis
  if (nowMs > swap.notAfter * 1000) return failing(submission, Reason.tooLate)
  const conditions = yield* asked
  const obstacle = yield* affordable(submission, conditions)
  if (obstacle !== undefined) return obstacle
  const way = yield* wayFor(submission, swap)
  if ("at" in way) return way
  const now = yield* (yield* purposeOf(submission.purpose.name)).judge(submission, way.bought)
  if (now._tag === "fail") return failing(submission, now.reason)
  if (now._tag === "wait") return waiting({ ...submission, reason: now.reason }, now.waitMs)
  return yield* signed(submission, {
    swap: { ...swap, minBuyAmount: way.bought.minBuyAmount },
    route: way.route,
    conditions
  })
})
