/**
 * What every loop of the workers is made of: it keeps going whatever happens in a turn, and sleeps until
 * something is due or somebody hints that it is. It keeps nothing in memory that a crash would lose.
 */
import { Cause, Context, DateTime, Duration, Effect, Latch, Schedule } from "effect"
import { ChainUnavailable } from "../ports/chains.ts"
import type { HeldLease, Release, Renew } from "../ports/leases.ts"
import { MailNotSent } from "../ports/mail.ts"
import { Notifier } from "../ports/notifier.ts"
import * as Holding from "./holding.ts"
import { logFailure } from "./outage.ts"

/** How long a worker sleeps when nothing wakes it: the safety net under lost hints. */
export const PollInterval = Context.Reference("bursar/background/PollInterval", {
  defaultValue: () => Duration.seconds(1)
})

/** How long after a failure a loop is tried again. */
const recovery = Duration.seconds(1)

/** An outside that is away is one line; a fault of ours is told whole. */
const failed = (name: string, cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return error instanceof ChainUnavailable || error instanceof MailNotSent
    ? Effect.logWarning(`${name}: ${error.message}`)
    : logFailure(`${name} failed and will be retried`, cause)
}

/** Keeps a loop alive: what went wrong is logged and tried again a little later. */
export const supervise = <A, E, R>(name: string, turn: Effect.Effect<A, E, R>) =>
  turn.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.andThen(failed(name, cause), Effect.sleep(recovery))
    ),
    Effect.repeat(Schedule.forever)
  )

/** How long until something is due, at most the safety net. Overdue work that did not fit waits to be woken. */
export const untilDue = Effect.fnUntraced(function* (due: DateTime.Utc | undefined) {
  const pollInterval = yield* PollInterval
  const now = yield* DateTime.now
  return due === undefined || DateTime.isLessThanOrEqualTo(due, now)
    ? pollInterval
    : Duration.min(DateTime.distance(now, due), pollInterval)
})

/** Whether something became due since a claim was asked for, which could not find it. */
const becameDue = Effect.fnUntraced(function* (
  due: DateTime.Utc | undefined,
  askedAt: DateTime.Utc
) {
  return (
    due !== undefined &&
    DateTime.isGreaterThan(due, askedAt) &&
    DateTime.isLessThanOrEqualTo(due, yield* DateTime.now)
  )
})

/** What became of claimed work: it has ended, is due again later, or is somebody else's by now. */
export type Carried = "ended" | "waiting" | "lost"

interface Claiming<Claimed, E, R, R2> {
  /** What goes on: `Delivering webhooks`. */
  readonly name: string
  /** What went wrong, when one of them did: `A delivery attempt failed`. */
  readonly failureMessage: string
  readonly hint: Parameters<Notifier["Service"]["listen"]>[0]
  /** How many one process works on at once. */
  readonly maxInFlight: number
  readonly queue: {
    readonly renew: Renew
    readonly release: Release
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<DateTime.Utc | undefined>
  }
  /** Waits until more may be claimed, where that is not at any time. */
  readonly ready?: Effect.Effect<void>
  /** Claims at most so many of what is due. */
  readonly claim: (most: number) => Effect.Effect<ReadonlyArray<Claimed>, E, R>
  readonly heldOf: (claimed: Claimed) => HeldLease
  readonly carry: (claimed: Claimed) => Effect.Effect<Carried, E, R2>
}

/** The most that is claimed in one turn, so that replicas share what is due. */
const maxPerTurn = 50

/**
 * Claims what is due and works on it side by side; one that hangs holds its own place and no other. What is
 * under way goes on when a claim fails, as a database that is away for a moment ends no attempt. It looks again
 * when it is told of more, or when what ended may leave it something: a place, or itself once more.
 */
export const leaseWorker = <Claimed, E, R, R2>(work: Claiming<Claimed, E, R, R2>) =>
  supervise(
    work.name,
    Effect.gen(function* () {
      const isAwake = yield* Latch.make()
      const next = yield* (yield* Notifier).listen(work.hint, undefined, "worker")
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(next, isAwake.open)))
      const { release, renew } = work.queue
      const holding = yield* Holding.make(work.name, {
        renew,
        release: (held) => Effect.andThen(release(held), isAwake.open)
      })
      let mayBeMore = true
      const carry = (claimed: Claimed) =>
        work.carry(claimed).pipe(
          Effect.catchCause((cause) =>
            Effect.as(logFailure(work.failureMessage, cause), undefined)
          ),
          Effect.flatMap((is) => (is !== "ended" || mayBeMore ? isAwake.open : Effect.void)),
          Effect.onInterrupt(() => isAwake.open)
        )
      const turn = Effect.gen(function* () {
        yield* work.ready ?? Effect.void
        // What is told of until here is found by the claim.
        isAwake.closeUnsafe()
        mayBeMore = true
        const most = Math.min(holding.room(work.maxInFlight), maxPerTurn)
        const [claimedMs, askedAt] = [yield* Holding.elapsedMs, yield* DateTime.now]
        const claimed = most > 0 ? yield* work.claim(most) : []
        if (claimed.length > 0) {
          if (yield* holding.isLate(claimedMs, claimed.map(work.heldOf))) return
          yield* Effect.forEach(
            claimed,
            (each) => holding.begin(work.heldOf(each), claimedMs, carry(each)),
            { discard: true }
          )
          if (claimed.length === most) return
        }
        mayBeMore = most <= 0
        const due = yield* work.queue.nextDue(yield* DateTime.now)
        if (most > 0 && (yield* becameDue(due, askedAt))) return
        yield* Effect.raceFirst(isAwake.await, Effect.sleep(yield* untilDue(due)))
      })
      yield* supervise(work.name, turn)
    }).pipe(Effect.scoped)
  )
