/**
 * The work that goes on by itself: watching chains, expiring, delivering webhooks, sending, doing tasks.
 * Every loop may run on every replica; none keeps anything in memory that a crash would lose.
 */
import { Cause, Context, DateTime, Duration, Effect, FiberSet, Queue, Schedule } from "effect"
import { keepSequencing } from "./audit/sequence.ts"
import { expireDue } from "./payments/expire.ts"
import { provision } from "./payments/provision.ts"
import { watchOnce } from "./payments/watch.ts"
import { Chains, ChainUnavailable, type Connected } from "./ports/chains.ts"
import { Challenges } from "./ports/challenges.ts"
import { Deliveries } from "./ports/deliveries.ts"
import { Executions } from "./ports/executions.ts"
import { Idempotency } from "./ports/idempotency.ts"
import { Tasks } from "./ports/tasks.ts"
import { Wakeups } from "./ports/wakeups.ts"
import { advance, claimExecutions } from "./proposals/advance.ts"
import { expireProposals } from "./proposals/expire.ts"
import { attempt, claimDue } from "./webhooks/dispatch.ts"

/** Deliveries one process carries at once, over all endpoints. */
const mostInFlight = 200

/** How long a worker sleeps when nothing wakes it: the safety net under lost hints. */
const LookAgain = Context.Reference("bursar/workers/LookAgain", {
  defaultValue: () => Duration.seconds(1)
})

/** How long after a stumble a loop is tried again. */
const recovery = Duration.seconds(1)

/** An outside that is away is one line; anything else is a fault of ours and is told whole. */
const stumbled = (name: string, cause: Cause.Cause<unknown>) => {
  const error = Cause.squash(cause)
  return error instanceof ChainUnavailable
    ? Effect.logWarning(`${name}: ${error.message}`)
    : Effect.logWarning(`${name} stumbled and tries again`, cause)
}

/** Keeps a loop alive: what went wrong is logged and tried again a little later. */
const keepGoing = <A, E, R>(name: string, turn: Effect.Effect<A, E, R>) =>
  turn.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.andThen(stumbled(name, cause), Effect.sleep(recovery))
    ),
    Effect.repeat(Schedule.forever)
  )

const sayDropped = (chainId: string, blocks: number) =>
  Effect.logWarning(
    `${chainId} reorganised ${blocks} block(s) away; payments follow the new chain.`
  )

/** Follows one chain: as often as it is told to, and at once when somebody heard of a new block. */
const watching = (connected: Connected) =>
  keepGoing(
    `Watching ${connected.chain.id}`,
    Effect.gen(function* () {
      const next = yield* (yield* Wakeups).listen("chains")
      const pause = Effect.raceFirst(next, Effect.sleep(connected.pollMs))
      yield* Effect.forever(
        Effect.gen(function* () {
          const turn = yield* watchOnce(connected)
          if (turn.droppedBlocks > 0) yield* sayDropped(connected.chain.id, turn.droppedBlocks)
          if (turn.atHead) yield* pause
        })
      )
    }).pipe(Effect.scoped)
  )

/** Expires what the chains' final blocks have passed. */
const expiring = keepGoing(
  "Expiring payment requests and proposals",
  Effect.gen(function* () {
    const wakeups = yield* Wakeups
    const next = yield* wakeups.listen("payments")
    const pause = Effect.raceFirst(next, Effect.sleep(yield* LookAgain))
    const expire = Effect.andThen(expireDue, expireProposals)
    yield* Effect.forever(Effect.andThen(expire, pause))
  }).pipe(Effect.scoped)
)

/**
 * How long until something is due, at most the safety net. What is due and was not claimed waits for a
 * place, and a place that becomes free is a wake-up of its own.
 */
const untilDue = Effect.fnUntraced(function* (nextDue: Effect.Effect<DateTime.Utc | undefined>) {
  const lookAgain = yield* LookAgain
  const due = yield* nextDue
  const now = yield* DateTime.now
  return due === undefined || DateTime.isLessThanOrEqualTo(due, now)
    ? lookAgain
    : Duration.min(DateTime.distance(now, due), lookAgain)
})

/** Claims and carries deliveries; one that hangs holds only its own endpoint's places. */
const delivering = keepGoing(
  "Delivering webhooks",
  Effect.gen(function* () {
    const wakeups = yield* Wakeups
    const next = yield* wakeups.listen("deliveries")
    const freed = yield* Queue.sliding<void>(1)
    const inFlight = yield* FiberSet.make()
    const carry = (claimed: Parameters<typeof attempt>[0]) =>
      attempt(claimed).pipe(
        Effect.catchCause((cause) => Effect.logWarning("A delivery attempt stumbled", cause)),
        Effect.andThen(Queue.offer(freed, undefined))
      )
    yield* Effect.forever(
      Effect.gen(function* () {
        const room = mostInFlight - (yield* FiberSet.size(inFlight))
        const claimed = room > 0 ? yield* claimDue(Math.min(room, 50)) : []
        yield* Effect.forEach(claimed, (each) => FiberSet.run(inFlight, carry(each)))
        if (claimed.length === 0) {
          const pause = Effect.sleep(yield* untilDue((yield* Deliveries).nextDue))
          yield* Effect.raceAllFirst([next, Queue.take(freed), pause])
        }
      })
    )
  }).pipe(Effect.scoped)
)

/** Sends one process carries forward at once. */
const mostSends = 50

/** Carries confirmed sends forward; each is at one worker at a time, wherever that is. */
const sending = keepGoing(
  "Sending",
  Effect.gen(function* () {
    const wakeups = yield* Wakeups
    const next = yield* wakeups.listen("executions")
    const freed = yield* Queue.sliding<void>(1)
    const inFlight = yield* FiberSet.make()
    const carry = (claimed: Parameters<typeof advance>[0]) =>
      advance(claimed).pipe(
        Effect.catchCause((cause) => Effect.logWarning("A send stumbled", cause)),
        Effect.andThen(Queue.offer(freed, undefined))
      )
    yield* Effect.forever(
      Effect.gen(function* () {
        const room = mostSends - (yield* FiberSet.size(inFlight))
        const claimed = room > 0 ? yield* claimExecutions(room) : []
        yield* Effect.forEach(claimed, (each) => FiberSet.run(inFlight, carry(each)))
        if (claimed.length === 0) {
          const pause = Effect.sleep(yield* untilDue((yield* Executions).nextDue))
          yield* Effect.raceAllFirst([next, Queue.take(freed), pause])
        }
      })
    )
  }).pipe(Effect.scoped)
)

const doing = keepGoing(
  "Doing tasks",
  Effect.flatMap(Tasks, (tasks) => tasks.take((task) => provision(task.row)))
)

/** Gives audit entries their places in their log, which get_audit_checkpoint signs for. */
const placing = keepGoing("Placing audit entries", Effect.flatMap(LookAgain, keepSequencing))

/** Erases secrets of day-old answers, forgets keys and challenges past their keeping, ends what is stranded. */
const tidying = keepGoing(
  "Tidying",
  Effect.gen(function* () {
    const idempotency = yield* Idempotency
    const now = yield* DateTime.now
    yield* idempotency.eraseSecrets(now)
    yield* idempotency.forget(DateTime.subtract(now, { days: 30 }), [])
    yield* (yield* Deliveries).skipStranded
    yield* (yield* Challenges).forget(DateTime.subtract(now, { days: 1 }))
    yield* Effect.sleep(Duration.minutes(5))
  })
)

export interface Options {
  /** A process that hears every hint, as a test in memory does, may look seldom. */
  readonly lookAgain?: Duration.Input
}

/** All of it, until interrupted. */
export const work = Effect.fnUntraced(function* ({ lookAgain }: Options = {}) {
  const { connected } = yield* Chains
  const all = Effect.all(
    [...connected.map(watching), expiring, delivering, sending, doing, placing, tidying],
    {
      concurrency: "unbounded",
      discard: true
    }
  )
  yield* lookAgain === undefined
    ? all
    : Effect.provideService(all, LookAgain, Duration.fromInputUnsafe(lookAgain))
})
