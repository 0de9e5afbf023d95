/**
 * The leases this process holds of one queue. One beat extends all of them at once, however busy the
 * process is; work whose lease nears its end unextended is given up before anybody else may begin it.
 */
import { Clock, DateTime, Effect, type Fiber, FiberSet, Latch } from "effect"
import type { HeldLease, Renew } from "../ports/leases.ts"
import { logFailure } from "./outage.ts"

/** How long a claim holds: time for two beats to fail. What a dead process had in its hands waits so long. */
export const claimMs = 5000

/** How long a beat holds: work that outlasts its first beat is slow, and may outlast a pause of the database. */
export const leaseMs = 10_000

const beatMs = 1500

/** How often leases are looked at, and how long before its end one counts as past. */
const lookMs = 500

/** A beat that takes longer has failed, and the next one is tried. */
const longestBeatMs = 2 * beatMs

interface Work {
  readonly held: HeldLease
  /** By the clock that no one can set. */
  untilMs: number
  fiber: Fiber.Fiber<unknown, unknown> | undefined
}

/** Milliseconds that only go on, whatever is done to the clock on the wall. */
export const elapsedMs = Clock.clockWith((clock) =>
  Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))
)

const isPast = ({ untilMs }: Pick<Work, "untilMs">, nowMs: number) => untilMs - lookMs <= nowMs

export const make = Effect.fnUntraced(function* (
  name: string,
  renew: Renew,
  /** How long a beat holds. */
  beatLeaseMs: number = leaseMs
) {
  const works = new Map<string, Work>()
  const inFlight = yield* FiberSet.make()
  const isHolding = yield* Latch.make()
  let isBeating = true

  const beat = Effect.gen(function* () {
    const startedMs = yield* elapsedMs
    const held = [...works.values()].map((work) => work.held)
    const extended = yield* renew({ held, now: yield* DateTime.now, leaseMs: beatLeaseMs })
    for (const lease of extended) {
      const work = works.get(lease)
      if (work !== undefined) work.untilMs = startedMs + beatLeaseMs
    }
    isBeating = true
  }).pipe(
    Effect.timeout(longestBeatMs),
    Effect.catchCause((cause) => {
      isBeating = false
      return logFailure(`${name}: leases could not be extended`, cause)
    })
  )

  const giveUpPast = Effect.gen(function* () {
    const nowMs = yield* elapsedMs
    const past = [...works.values()].filter((work) => isPast(work, nowMs))
    for (const { fiber, held } of past) {
      works.delete(held.lease)
      fiber?.interruptUnsafe()
    }
    if (past.length > 0) {
      yield* Effect.logWarning(`${name}: ${past.length} given up, since their leases have ended`)
    }
  })

  const whileHolding = (everyMs: number, turn: Effect.Effect<void>) =>
    isHolding.await.pipe(
      Effect.andThen(Effect.sleep(everyMs)),
      Effect.andThen(
        Effect.suspend(() => {
          if (works.size > 0) return turn
          isHolding.closeUnsafe()
          return Effect.void
        })
      ),
      Effect.forever,
      Effect.forkScoped
    )
  yield* whileHolding(beatMs, beat)
  yield* whileHolding(lookMs, giveUpPast)

  return {
    /** Whether what is held can be extended; if not, nothing more is taken. */
    isBeating: () => isBeating || works.size === 0,
    /** How many more may be begun; none beside what is held while that cannot be extended. */
    room: (most: number) => (isBeating || works.size === 0 ? most - works.size : 0),
    /** Begins what was claimed at an instant of `elapsedMs`, unless that is too long ago by now. */
    begin: Effect.fnUntraced(function* <E, R>(
      held: HeldLease,
      claimedMs: number,
      work: Effect.Effect<unknown, E, R>
    ) {
      const begun: Work = { held, untilMs: claimedMs + claimMs, fiber: undefined }
      if (isPast(begun, yield* elapsedMs)) {
        return yield* Effect.logWarning(`${name}: a claim took longer than its lease lasts`)
      }
      works.set(held.lease, begun)
      isHolding.openUnsafe()
      const ending = Effect.sync(() => works.delete(held.lease))
      begun.fiber = yield* FiberSet.run(inFlight, Effect.ensuring(work, ending))
    })
  }
})
