/**
 * Follows what left until it has arrived, by the chains alone. Nothing of it is ever given up: what takes too long is
 * told to the operator once and looked at for ever.
 */
import { DateTime, Duration, Effect } from "effect"
import type { UpstreamUnavailable } from "../operation/refusal.ts"
import type { BridgeContradicted, BridgeUnavailable, Journey, Standing } from "../ports/bridge.ts"
import { Chains, type ChainUnavailable } from "../ports/chains.ts"
import { isEnded } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { StepSubmission } from "../waits/next-step.ts"
import type { Wait } from "../waits/wait.ts"
import { alone, type Look } from "../waits/watches.ts"
import { travellingIn } from "./on-the-way.ts"
import { journeyOf, type Reading, read } from "./read-journey.ts"
import { deliveryPart } from "./steps.ts"
import { tellRefused } from "./tell-refused.ts"
import { endsOf } from "./terms.ts"

/** Blocks of the chain between two looks, and no longer than so much. */
const blocksBetween = 4
const soonMs = 5_000
const laterMs = 30_000
const stuckMs = 300_000
const maxPauseMs = 3_600_000
/** Looked at often while it may come any moment, and less when it has not for so long. */
const soonForMinutes = 5

const waitMs = Effect.fnUntraced(function* ({ chainId, openedAt }: Wait, now: DateTime.Utc) {
  const soonUntil = DateTime.add(openedAt, { minutes: soonForMinutes })
  if (DateTime.isGreaterThan(now, soonUntil)) return laterMs
  const { connected } = yield* Chains
  const pollMs = connected.find(({ chain }) => chain.id === chainId)?.pollMs ?? soonMs
  return Math.min(soonMs, blocksBetween * pollMs)
})

/** It goes on; too long after its deadline it is stuck. */
export const goingOn = Effect.fnUntraced(function* (
  wait: Wait,
  reason: string | null,
  rest: Partial<Look> = {}
) {
  const now = yield* DateTime.now
  const isStuck = DateTime.isGreaterThan(now, wait.deadline)
  const nextLookMs = isStuck ? stuckMs : yield* waitMs(wait, now)
  return { reason, isStuck, nextLookMs, ...rest } satisfies Look as Look
})

/** A block has it, though it is not final: from now on a balance counts it. */
export const there = (wait: Wait) =>
  goingOn(wait, null, { journal: { ...wait.journal, isThere: true } })

/** No block has it, or no longer. */
export const away = ({ journal }: Wait): Partial<Look> =>
  journal.isThere === true ? { journal: { ...journal, isThere: false } } : {}

/** The same as a wait: what a fork dropped is on its way again until a block has it. */
export const awayAgain = (wait: Wait): Wait => ({
  ...wait,
  journal: away(wait).journal ?? wait.journal
})

/** What is final has arrived. Less than was signed for is nothing that a chain should let happen: the operator is told. */
export const arrived = Effect.fnUntraced(function* (
  wait: Wait,
  { minBuyUnits }: Journey,
  { txId, units }: Extract<Standing, { readonly _tag: "delivered" }>
) {
  if (units < minBuyUnits) {
    const sentence = `In ${txId} there arrived ${units} units, less than the ${minBuyUnits} that were signed for.`
    yield* tellRefused(wait, "BRIDGE_BELOW_MINIMUM", sentence)
  }
  return {
    journal: { boughtAmount: String(units) },
    ended: { isDone: true, evidence: { type: "transaction", id: txId } },
    nextLookMs: 0
  } satisfies Look as Look
})

const cancelled = "The chain says that it was taken back, which such a bridge cannot be."
export const gone = "The chain no longer has the transaction in which it left; it is looked for."

export const standingOf = Effect.fnUntraced(function* (wait: Wait) {
  const reading = yield* read(wait.accountId, wait.proposalId)
  const journey = yield* journeyOf(reading, wait.proposalId)
  const { departed } = travellingIn(wait.terms)
  const standing = yield* reading.bridge.status(journey, departed)
  return { reading, journey, standing, departed }
})

const attested = Effect.fnUntraced(function* (wait: Wait) {
  const { departed, standing } = yield* standingOf(wait)
  switch (standing._tag) {
    case "absent":
      return yield* goingOn(wait, gone)
    case "travelling":
      return yield* goingOn(wait, standing.reason)
    case "cancelled":
    case "deliverable":
    case "delivered":
      return {
        ended: { isDone: true, evidence: { type: "transaction", id: departed } },
        nextLookMs: 0
      } satisfies Look as Look
  }
})

/** What brings it there: a call of the receiving wallet's own. It counts once, whoever makes it, and however often. */
const delivery = (
  { approved }: Reading,
  { call }: Extract<Standing, { readonly _tag: "deliverable" }>,
  tries: number
): StepSubmission => {
  const { receiver, to } = endsOf(approved)
  return {
    _tag: "submit",
    kind: "mint",
    purpose: "bridge_delivery",
    chainId: to.chainId,
    walletId: approved.toWalletId,
    act: "call",
    part: deliveryPart(tries),
    from: receiver,
    to: receiver,
    amount: { token: { chainId: to.chainId, address: to.token }, units: approved.minBuyAmount },
    call
  }
}

/** Whatever stands in the way may pass: tries go on for ever, in the end once an hour. */
const pauseAfterMs = (tries: number) => Math.min(maxPauseMs, soonMs * 2 ** (tries - 1))

/** What was tried so far at the destination; one try at a time, and each later than the one before. */
export const triesOf = Effect.fnUntraced(function* (wait: Wait, purpose: string) {
  const submissions = yield* (yield* SubmissionStore).ofProposals([wait.proposalId])
  const tries = submissions.filter((each) => each.purpose.name === purpose)
  const count = tries.length
  const now = yield* DateTime.now
  const latest = tries.map(({ updatedAt }) => updatedAt).reduce(DateTime.max, wait.openedAt)
  const isRested = Duration.toMillis(DateTime.distance(latest, now)) >= pauseAfterMs(count)
  const isUnderWay = tries.some((each) => !isEnded(each))
  // After a try that failed it is left alone for as long as between two looks, in case its end opened.
  const isDue = count === 0 || (wait.journal.tries === count && isRested)
  // What somebody else did first has an end that is seen before; what is still to be done was refused.
  const refused = tries.find(({ status }) => status === "failed")
  return { isUnderWay, isDue, count, refused }
})

/** Tells once of a try that was refused; what the journal keeps of the tries beside what it has. */
export const toldOf = Effect.fnUntraced(function* (
  wait: Wait,
  { count, refused }: Pick<Effect.Success<ReturnType<typeof triesOf>>, "count" | "refused">
) {
  if (refused !== undefined && wait.journal.isTold !== true) {
    const reason = refused.reason ?? "no reason is known."
    yield* tellRefused(wait, "BRIDGE_CALL_REFUSED", `The destination refuses its call: ${reason}`)
  }
  return { tries: count, ...(refused === undefined ? {} : { isTold: true }) }
})

/** Somebody may bring it any time, so each look asks the destination first. */
const minted = Effect.fnUntraced(function* (wait: Wait) {
  const { journey, reading, standing } = yield* standingOf(wait)
  switch (standing._tag) {
    case "absent":
      return yield* goingOn(wait, gone)
    case "travelling":
      return yield* goingOn(wait, standing.reason, away(wait))
    case "cancelled":
      return yield* goingOn(wait, cancelled)
    case "delivered":
      return yield* standing.isFinal ? arrived(wait, journey, standing) : there(wait)
    case "deliverable": {
      const tries = yield* triesOf(wait, "bridge_delivery")
      const { count, isDue, isUnderWay } = tries
      if (isUnderWay) return yield* goingOn(wait, null, away(wait))
      return yield* goingOn(wait, null, {
        journal: { ...awayAgain(wait).journal, ...(yield* toldOf(wait, tries)) },
        ...(isDue ? { submissions: [delivery(reading, standing, count + 1)] } : {})
      })
    }
  }
})

const contradicted = Effect.fnUntraced(function* (wait: Wait, detail: string) {
  if (wait.journal.isContradicted === true) return yield* goingOn(wait, detail)
  yield* tellRefused(wait, "BRIDGE_CONTRADICTED", detail)
  return yield* goingOn(wait, detail, { journal: { ...wait.journal, isContradicted: true } })
})

/** A watch that goes on while the provider is away, or tells of something else than what left. */
export const looking = <R>(
  look: (
    wait: Wait
  ) => Effect.Effect<
    Look,
    BridgeContradicted | BridgeUnavailable | ChainUnavailable | UpstreamUnavailable,
    R
  >
) =>
  alone((wait: Wait) =>
    look(wait).pipe(
      Effect.catchTags({
        BridgeUnavailable: ({ detail }) => goingOn(wait, detail),
        BridgeContradicted: ({ detail }) => contradicted(wait, detail)
      })
    )
  )

/** The attesters have to see that it left. */
export const attestation = looking(attested)

/** It is brought to its destination, by us or by whoever comes first. */
export const arrival = looking(minted)
