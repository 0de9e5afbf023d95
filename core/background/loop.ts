/**
 * What every loop of the workers is made of: it keeps going whatever happens in a turn, and sleeps until
 * something is due or somebody hints that it is. It keeps nothing in memory that a crash would lose.
 */
import { Cause, Context, DateTime, Duration, Effect, Queue, Schedule } from "effect"
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

/**
 * How long until something is due, at most the safety net. Overdue work that did not fit waits for a free
 * slot; freeing a slot wakes the loop.
 */
export const untilDue = Effect.fnUntraced(function* (due: DateTime.Utc | undefined) {
  const pollInterval = yield* PollInterval
  const now = yield* DateTime.now
  return due === undefined || DateTime.isLessThanOrEqualTo(due, now)
    ? pollInterval
    : Duration.min(DateTime.distance(now, due), pollInterval)
})

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
  /** Claims at most so many of what is due. */
  readonly claim: (most: number) => Effect.Effect<ReadonlyArray<Claimed>, E, R>
  readonly heldOf: (claimed: Claimed) => HeldLease
  readonly carry: (claimed: Claimed) => Effect.Effect<unknown, E, R2>
}

/** The most that is claimed in one turn, so that replicas share what is due. */
const maxPerTurn = 50

/**
 * Claims what is due and works on it side by side; one that hangs holds its own place and no other. What is
 * under way goes on when a claim fails, as a database that is away for a moment ends no attempt.
 */
export const leaseWorker = <Claimed, E, R, R2>(work: Claiming<Claimed, E, R, R2>) =>
  supervise(
    work.name,
    Effect.gen(function* () {
      const next = yield* (yield* Notifier).listen(work.hint, undefined, "worker")
      const freed = yield* Queue.sliding<void>(1)
      const isFreed = Queue.offer(freed, undefined)
      const { release, renew } = work.queue
      const holding = yield* Holding.make(work.name, {
        renew,
        release: (held) => Effect.andThen(release(held), isFreed)
      })
      const carry = (claimed: Claimed) =>
        work.carry(claimed).pipe(
          Effect.catchCause((cause) => logFailure(work.failureMessage, cause)),
          Effect.ensuring(isFreed)
        )
      const turn = Effect.gen(function* () {
        const room = holding.room(work.maxInFlight)
        const claimedMs = yield* Holding.elapsedMs
        const claimed = room > 0 ? yield* work.claim(Math.min(room, maxPerTurn)) : []
        if (claimed.length > 0) {
          if (yield* holding.isLate(claimedMs, claimed.map(work.heldOf))) return
          return yield* Effect.forEach(
            claimed,
            (each) => holding.begin(work.heldOf(each), claimedMs, carry(each)),
            { discard: true }
          )
        }
        const pause = Effect.sleep(yield* untilDue(yield* work.queue.nextDue(yield* DateTime.now)))
        yield* Effect.raceAllFirst([next, Queue.take(freed), pause])
      })
      yield* supervise(work.name, turn)
    }).pipe(Effect.scoped)
  )
