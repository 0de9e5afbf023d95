/**
 * Carries waits from their first look to their end, whatever they wait for. What a look came to is written down
 * before the next one is made, and its end together with what follows from it; every look may be repeated, here
 * or on another replica.
 */
import { Clock, DateTime, Effect } from "effect"
import { isPaused } from "../accounts/pause.ts"
import { claimMs } from "../background/holding.ts"
import { giveNotice } from "../notices/give-notice.ts"
import { executionStuck, signatureRefused } from "../operation/metrics.ts"
import { Atomically } from "../ports/atomically.ts"
import { SigningDenied } from "../submissions/order.ts"
import { heldMs, whyHeld, whyHeldOn } from "../timeline/sending.ts"
import { whyStopped } from "../tokens/usdc-stop.ts"
import type { Wait } from "../waits/wait.ts"
import { type Claimed, WaitStore } from "../waits/wait-store.ts"
import { type AnyBatch, type Look, watchOf } from "../waits/watches.ts"
import { Proposals } from "./proposal-store.ts"
import { raise } from "./raise.ts"
import { openBeside, stepEnded } from "./run-step.ts"

/** How long after the outside did not answer it is asked again. */
const awayMs = 2000

/** Rare enough to look into, often enough that it goes on soon after the records are put right. */
const deniedMs = 60_000

const pausedMs = 15_000

const recordsDisagree = "The signing policy denied the signature; the operator is alerted."

/** Nothing of the wait changes but what stands in its way. */
const standing = (reason: string, nextLookMs: number): Look => ({ reason, nextLookMs })

/** Nothing is signed and nothing ended; any other defect stays one. */
const denied = Effect.fnUntraced(function* ({ chainId }: Wait, defect: unknown) {
  if (!(defect instanceof SigningDenied)) return yield* Effect.die(defect)
  const held = (yield* whyHeldOn(chainId)) ?? (yield* whyStopped(chainId))
  if (held !== undefined) return standing(held, heldMs)
  yield* Effect.logError(defect.message)
  yield* signatureRefused(chainId)
  return standing(recordsDisagree, deniedMs)
})

/** A claimed wait, with the looks that it shares with others of its watch and chain. */
export interface Due extends Claimed {
  readonly batch: AnyBatch
}

const lookAt = Effect.fnUntraced(function* (wait: Wait, batch: AnyBatch) {
  const { isUnbegun } = yield* watchOf(wait)
  if (isUnbegun?.(wait) === true && (yield* isPaused(wait.accountId))) {
    return standing("The account is paused.", pausedMs)
  }
  // Of a chain that was not read yet its watch tells more, and lets it be given up.
  const held = (yield* whyHeld) ?? (yield* whyStopped(wait.chainId))
  if (isUnbegun?.(wait) === true && held !== undefined) return standing(held, heldMs)
  const look = yield* batch.look(wait).pipe(
    Effect.catchTags({
      ChainUnavailable: ({ message }) => Effect.succeed(standing(message, awayMs)),
      UPSTREAM_UNAVAILABLE: ({ message }) => Effect.succeed(standing(message, awayMs))
    }),
    Effect.catchDefect((defect) => denied(wait, defect))
  )
  // More of the caps is reserved only by sums that are whole, and for what may be signed.
  if (look.reserve === undefined) return look
  const unread = held ?? (yield* whyHeldOn(wait.chainId))
  return unread === undefined ? look : standing(unread, heldMs)
})

/** The wait as a look leaves it. */
const left = (wait: Wait, look: Look, now: DateTime.Utc): Wait => ({
  ...wait,
  journal: look.journal ?? wait.journal,
  reason: look.reason ?? null,
  isStuck: look.isStuck ?? wait.isStuck,
  ended: look.ended === undefined ? null : { ...look.ended, at: now },
  nextLookAt:
    look.ended === undefined ? DateTime.add(now, { milliseconds: look.nextLookMs }) : null,
  updatedAt: now
})

/** The lease is another's now; what was done under it is undone with the rest. */
class Lost {
  readonly _tag = "Lost"
}

const save = Effect.fnUntraced(function* (lease: string, wait: Wait, isLast: boolean) {
  const current = yield* (yield* WaitStore).save([{ lease, wait, isLast }])
  return current.includes(lease)
})

/** Writes down what a look came to, with what follows from it; undefined when the lease was lost. */
const writeDown = Effect.fnUntraced(function* ({ lease, wait }: Claimed, look: Look) {
  const now = yield* DateTime.now
  const { ended, nextLookMs, reserve, submissions = [] } = look
  const after = left(wait, look, now)
  const isLast = ended !== undefined || nextLookMs > 0
  if (ended === undefined && reserve === undefined && submissions.length === 0) {
    return (yield* save(lease, after, isLast)) ? after : undefined
  }
  const together = Effect.gen(function* () {
    const locked = yield* (yield* Proposals).lockAll([wait.proposalId])
    const [proposal] = locked
    if (proposal === undefined)
      return yield* Effect.die(new Error(`Wait ${wait.id} is of nothing.`))
    const refusal = reserve === undefined ? undefined : yield* raise(proposal, reserve)
    const written =
      refusal === undefined
        ? after
        : left(
            wait,
            { reason: refusal.message, ended: { isDone: false, evidence: null }, nextLookMs: 0 },
            now
          )
    if (!(yield* save(lease, written, isLast || written.ended !== null))) {
      return yield* Effect.fail(new Lost())
    }
    if (refusal === undefined) yield* openBeside(proposal, submissions)
    if (written.ended !== null) yield* stepEnded(locked)
    return written
  })
  return yield* (yield* Atomically).run(together).pipe(Effect.catch(() => Effect.undefined))
})

/** Tells the operator, once, of what takes far longer than it should. */
const tell = Effect.fnUntraced(function* (
  before: Wait,
  { accountId, chainId, id, isStuck, kind, proposalId, reason }: Wait
) {
  if (!isStuck || before.isStuck) return
  const telling = giveNotice({
    accountId,
    type: "trade_stuck",
    subject: id,
    role: "approver",
    summary: `A trade takes far longer than it should, at its step ${kind} on ${chainId}: ${reason ?? "no reason is known."}`,
    path: `/console/proposals/${proposalId}`
  })
  yield* (yield* Atomically).run(telling)
  yield* Effect.logError(
    `Proposal ${proposalId} is stuck at its step ${kind} on ${chainId}: ${reason ?? "It takes too long."}`
  )
  yield* executionStuck(chainId, kind)
})

/** Takes one claimed wait on until it is to be looked at later, or has ended. */
export const carry = Effect.fnUntraced(function* ({ batch, lease, wait }: Due) {
  let before = wait
  for (;;) {
    const look = yield* lookAt(before, batch)
    const after: Wait | undefined = yield* writeDown({ lease, wait: before }, look)
    if (after === undefined) return "lost" as const
    yield* tell(before, after)
    if (after.ended !== null || look.nextLookMs > 0) {
      return after.ended === null ? ("waiting" as const) : ("ended" as const)
    }
    before = after
  }
})

/** How long what is shared by those of a watch and chain is good for. */
const sharedMs = 1000

interface Shared {
  readonly batch: AnyBatch
  readonly untilMs: number
}

/** Where waits of this process meet: one place for each watch and chain. */
export const make = Effect.sync(() => {
  const byPlace = new Map<string, Shared>()

  const batchOf = Effect.fnUntraced(function* (wait: Wait) {
    const { chainId, watch } = wait
    const place = JSON.stringify([watch, chainId])
    const known = byPlace.get(place)
    const nowMs = yield* Clock.currentTimeMillis
    if (known !== undefined && nowMs < known.untilMs) return known.batch
    const batch: AnyBatch = yield* (yield* watchOf(wait)).batch(chainId)
    byPlace.set(place, { batch, untilMs: nowMs + sharedMs })
    return batch
  })

  /** Gives those of one watch and chain the same looks, so that what they share is asked once. */
  const inBatches = (claimed: ReadonlyArray<Claimed>) =>
    Effect.forEach(claimed, (each) =>
      Effect.map(batchOf(each.wait), (batch): Due => ({ ...each, batch }))
    )

  /** Claims waits that are due, at most so many. */
  const claim = Effect.fnUntraced(function* (most: number) {
    const now = yield* DateTime.now
    return yield* inBatches(yield* (yield* WaitStore).claim({ now, leaseMs: claimMs, most }))
  })

  return { claim, inBatches }
})
