/**
 * Follows an order until somebody has filled it, or takes it back: what nobody fills in time is cancelled at the
 * destination by the receiving wallet, and only once that is final is it waited for at the source.
 */
import { DateTime, Effect } from "effect"
import type { TransactionId } from "../chains/address.ts"
import type { Refund } from "../ports/bridge.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { StepSubmission } from "../waits/next-step.ts"
import type { Wait } from "../waits/wait.ts"
import type { Look } from "../waits/watches.ts"
import { travellingIn } from "./on-the-way.ts"
import { journeyOf, type Reading, read } from "./read-journey.ts"
import { cancellationPart } from "./steps.ts"
import { tellRefused } from "./tell-refused.ts"
import { tellStrangers } from "./tell-strangers.ts"
import { endsOf } from "./terms.ts"
import {
  arrived,
  away,
  awayAgain,
  goingOn,
  gone,
  looking,
  standingOf,
  there,
  toldOf,
  triesOf
} from "./travel.ts"

/** What takes it back: a call of the receiving wallet's own. It counts once, and only before a fill. */
const cancellation = (
  { approved }: Reading,
  { call }: Extract<Refund, { readonly _tag: "cancellable" }>,
  tries: number
): StepSubmission => {
  const { receiver, to } = endsOf(approved)
  return {
    _tag: "submit",
    kind: "cancel",
    purpose: "bridge_cancellation",
    chainId: to.chainId,
    walletId: approved.toWalletId,
    act: "call",
    part: cancellationPart(tries),
    from: receiver,
    to: receiver,
    amount: { token: { chainId: to.chainId, address: to.token }, units: approved.minBuyAmount },
    call
  }
}

const takingBack = "Nobody has filled the order in time; it is taken back."
const stopNote = "It was asked to stop; the order is taken back unless somebody fills it first."

/** Why it is to be taken back now; undefined while it may still be filled. */
const reasonOf = Effect.fnUntraced(function* ({ isStopAsked, terms }: Wait) {
  if (isStopAsked) return stopNote
  const { takeBackAt } = travellingIn(terms)
  const now = yield* DateTime.now
  return takeBackAt !== undefined && DateTime.isGreaterThan(now, takeBackAt)
    ? takingBack
    : undefined
})

/** One try at a time; the chain lets at most one of a fill and a cancellation happen. */
const takeBack = Effect.fnUntraced(function* (
  wait: Wait,
  { departed, journey, reading }: Effect.Success<ReturnType<typeof standingOf>>,
  reason: string
) {
  const tries = yield* triesOf(wait, "bridge_cancellation")
  const { count, isDue, isUnderWay } = tries
  if (isUnderWay) return yield* goingOn(wait, reason)
  // Nothing can fail after what is told, or that it was told would be forgotten.
  const refund = yield* reading.bridge.refund(journey, departed)
  const journal = { ...wait.journal, ...(yield* toldOf(wait, tries)) }
  if (refund._tag === "closed") return yield* goingOn(wait, refund.reason, { journal })
  if (refund._tag !== "cancellable") return yield* goingOn(wait, reason, { journal })
  const cancelUnits = isDue ? String(refund.coinUnits) : wait.journal.cancelUnits
  return yield* goingOn(wait, reason, {
    journal: { ...journal, ...(cancelUnits === undefined ? {} : { cancelUnits }) },
    ...(isDue ? { submissions: [cancellation(reading, refund, count + 1)] } : {})
  })
})

const elsewhere = "The order was taken back by a transaction that these records do not know."

/** Nobody but the receiving wallet may take an order back: whoever else did is told of, once. */
const tellStranger = Effect.fnUntraced(function* (wait: Wait, txId: TransactionId) {
  const submissions = yield* (yield* SubmissionStore).ofProposals([wait.proposalId])
  const isOurs = submissions.some(
    ({ purpose, txIds }) => purpose.name === "bridge_cancellation" && txIds.includes(txId)
  )
  if (isOurs || wait.journal.isElsewhere === true) return wait
  yield* tellRefused(wait, "BRIDGE_CANCELLED_ELSEWHERE", `${elsewhere} It was ${txId}.`)
  return { ...wait, journal: { ...wait.journal, isElsewhere: true } }
})

const looked = Effect.fnUntraced(function* (
  wait: Wait,
  found: Effect.Success<ReturnType<typeof standingOf>>
) {
  const { standing } = found
  switch (standing._tag) {
    case "absent":
      return yield* goingOn(wait, gone)
    case "delivered":
      return yield* standing.isFinal ? arrived(wait, found.journey, standing) : there(wait)
    case "cancelled": {
      const { journal } = yield* tellStranger(wait, standing.txId)
      if (!standing.isFinal) return yield* goingOn(wait, takingBack, { journal })
      const evidence = { type: "transaction", id: standing.txId } as const
      return { ended: { isDone: false, evidence }, nextLookMs: 0 } satisfies Look as Look
    }
    case "deliverable":
    case "travelling": {
      const reason = yield* reasonOf(wait)
      if (reason !== undefined) return yield* takeBack(wait, found, reason)
      return yield* goingOn(wait, standing._tag === "travelling" ? standing.reason : null)
    }
  }
})

const filled = Effect.fnUntraced(function* (given: Wait) {
  const found = yield* standingOf(given)
  const wait = found.standing._tag === "absent" ? given : awayAgain(given)
  const look: Look = yield* looked(wait, found)
  // Last, as what it has told must be kept; nothing that fails or is slow may come after it.
  const told = yield* tellStrangers(wait, found.reading.bridge, found.journey)
  return { ...look, journal: { ...(look.journal ?? wait.journal), ...told } }
})

const onItsWayBack = "The order was taken back; the source chain has not given it back yet."

const givenBack = Effect.fnUntraced(function* (wait: Wait) {
  const reading = yield* read(wait.accountId, wait.proposalId)
  const journey = yield* journeyOf(reading, wait.proposalId)
  const refund = yield* reading.bridge.refund(journey, travellingIn(wait.terms).departed)
  if (refund._tag !== "returned") return yield* goingOn(wait, onItsWayBack, away(wait))
  if (!refund.isFinal) return yield* there(wait)
  return {
    journal: { refundedAmount: String(refund.units) },
    ended: { isDone: true, evidence: { type: "transaction", id: refund.txId } },
    nextLookMs: 0
  } satisfies Look as Look
})

/** Somebody has to fill it before it is taken back. */
export const fulfilment = looking(filled)

/** What was taken back has to come back. */
export const refund = looking(givenBack)
