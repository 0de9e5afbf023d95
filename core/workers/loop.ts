/**
 * What every loop of the workers is made of: it keeps going whatever happens in a turn, and sleeps until
 * something is due or somebody hints that it is. It keeps nothing in memory that a crash would lose.
 */
import { Cause, Context, DateTime, Duration, Effect, FiberSet, Queue, Schedule } from "effect"
import { ChainUnavailable } from "../ports/chains.ts"
import { MailNotSent } from "../ports/mail.ts"
import { Wakeups } from "../ports/wakeups.ts"

/** How long a worker sleeps when nothing wakes it: the safety net under lost hints. */
export const LookAgain = Context.Reference("bursar/workers/LookAgain", {
  defaultValue: () => Duration.seconds(1)
})

/** How long after a stumble a loop is tried again. */
const recovery = Duration.seconds(1)

/** An outside that is away is one line; anything else is a fault of ours and is told whole. */
const stumbled = (name: string, cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return error instanceof ChainUnavailable || error instanceof MailNotSent
    ? Effect.logWarning(`${name}: ${error.message}`)
    : Effect.logWarning(`${name} stumbled and tries again`, cause)
}

/** Keeps a loop alive: what went wrong is logged and tried again a little later. */
export const keepGoing = <A, E, R>(name: string, turn: Effect.Effect<A, E, R>) =>
  turn.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.andThen(stumbled(name, cause), Effect.sleep(recovery))
    ),
    Effect.repeat(Schedule.forever)
  )

/**
 * How long until something is due, at most the safety net. What is due and was not claimed waits for a
 * place, and a place that becomes free is a wake-up of its own.
 */
const untilDue = Effect.fnUntraced(function* (due: DateTime.Utc | undefined) {
  const lookAgain = yield* LookAgain
  const now = yield* DateTime.now
  return due === undefined || DateTime.isLessThanOrEqualTo(due, now)
    ? lookAgain
    : Duration.min(DateTime.distance(now, due), lookAgain)
})

interface Claiming<Claimed, E, R> {
  /** What goes on: `Delivering webhooks`. */
  readonly name: string
  /** What went wrong, when one of them did: `A delivery attempt stumbled`. */
  readonly stumble: string
  readonly hint: Parameters<Wakeups["Service"]["listen"]>[0]
  /** How many one process works on at once. */
  readonly mostInFlight: number
  /** Claims at most so many of what is due. */
  readonly claim: (most: number) => Effect.Effect<ReadonlyArray<Claimed>, E, R>
  readonly carry: (claimed: Claimed) => Effect.Effect<unknown, E, R>
  readonly nextDue: Effect.Effect<DateTime.Utc | undefined, E, R>
}

/** The most that is claimed in one turn, so that replicas share what is due. */
const mostPerTurn = 50

/** Claims what is due and works on it side by side; one that hangs holds its own place and no other. */
export const keepClaiming = <Claimed, E, R>(work: Claiming<Claimed, E, R>) =>
  keepGoing(
    work.name,
    Effect.gen(function* () {
      const next = yield* (yield* Wakeups).listen(work.hint)
      const freed = yield* Queue.sliding<void>(1)
      const inFlight = yield* FiberSet.make()
      const carry = (claimed: Claimed) =>
        work.carry(claimed).pipe(
          Effect.catchCause((cause) => Effect.logWarning(work.stumble, cause)),
          Effect.andThen(Queue.offer(freed, undefined))
        )
      yield* Effect.forever(
        Effect.gen(function* () {
          const room = work.mostInFlight - (yield* FiberSet.size(inFlight))
          const claimed = room > 0 ? yield* work.claim(Math.min(room, mostPerTurn)) : []
          yield* Effect.forEach(claimed, (each) => FiberSet.run(inFlight, carry(each)))
          if (claimed.length === 0) {
            const pause = Effect.sleep(yield* untilDue(yield* work.nextDue))
            yield* Effect.raceAllFirst([next, Queue.take(freed), pause])
          }
        })
      )
    }).pipe(Effect.scoped)
  )
