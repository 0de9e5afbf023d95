/**
 * The leases this process holds of one queue. One beat extends all of them at once, however busy the
 * process is; work whose lease nears its end unextended is given up before anybody else may begin it.
 */
import { Clock, DateTime, Effect, Fiber, FiberSet, Latch } from "effect"
import type { HeldLease, Release, Renew } from "../ports/leases.ts"
import { logFailure } from "./outage.ts"

/** How long a claim holds: time for two beats to fail. What a dead process had in its hands waits so long. */
export const claimMs = 5000

/** How long a beat holds: work that outlasts its first beat is slow, and may outlast a pause of the database. */
export const leaseMs = 10_000

const beatMs = 1500

/** How often leases are looked at, and how long before its end one counts as past. */
const lookMs = 500

/** A beat that takes longer has failed. The next one does not wait for it: the first that is answered counts. */
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

/** How a queue extends leases, and how it takes back what is not worked on; without that, leases end by themselves. */
interface Queue {
  readonly renew: Renew
  readonly release?: Release
}

/** Until the database has heard it: a beat that it heard late may have extended what was given up meanwhile. */
const released = (release: Release, held: ReadonlyArray<HeldLease>): Effect.Effect<void> =>
  Effect.suspend(() => release(held)).pipe(
    Effect.timeout(longestBeatMs),
    Effect.catchCause(() => Effect.andThen(Effect.sleep(lookMs), released(release, held)))
  )

/** Gives work back once it has ended, so that others may begin it at once. */
const givingBack = (release: Release | undefined, inFlight: FiberSet.FiberSet<unknown, unknown>) =>
  Effect.fnUntraced(function* (works: ReadonlyArray<Pick<Work, "held" | "fiber">>) {
    if (release === undefined || works.length === 0) return
    const ended = works.map(({ fiber }) => (fiber === undefined ? Effect.void : Fiber.await(fiber)))
    const held = works.map((work) => work.held)
    yield* FiberSet.run(
      inFlight,
      Effect.andThen(Effect.all(ended, { discard: true }), released(release, held))
    )
  })

/** A database that takes work back hears beats again: what is begun then need not wait for one. */
const telling = (release: Release | undefined, isHeard: Effect.Effect<void>): Release | undefined =>
  release && ((held) => Effect.andThen(release(held), isHeard))

/** A turn every so often for as long as something is held. */
const whileHolding =
  (works: ReadonlyMap<string, Work>, isHolding: Latch.Latch) =>
  (everyMs: number, turn: Effect.Effect<void>) =>
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

export const make = Effect.fnUntraced(function* (
  name: string,
  { release, renew }: Queue,
  /** How long a beat holds. */
  beatLeaseMs: number = leaseMs
) {
  const works = new Map<string, Work>()
  const inFlight = yield* FiberSet.make()
  const beats = yield* FiberSet.make()
  const isHolding = yield* Latch.make()
  let isBeating = true
  let heardMs = 0
  const isHeard = Effect.map(elapsedMs, (nowMs) => {
    isBeating = true
    heardMs = Math.max(heardMs, nowMs)
  })
  const giveBack = givingBack(telling(release, isHeard), inFlight)

  const extending = Effect.fnUntraced(function* (startedMs: number) {
    const held = [...works.values()].map((work) => work.held)
    const extended = yield* renew({ held, now: yield* DateTime.now, leaseMs: beatLeaseMs })
    for (const lease of extended) {
      const work = works.get(lease)
      if (work !== undefined) work.untilMs = Math.max(work.untilMs, startedMs + beatLeaseMs)
    }
    isBeating = true
    heardMs = Math.max(heardMs, startedMs)
  })

  const beat = Effect.flatMap(elapsedMs, (startedMs) =>
    extending(startedMs).pipe(
      Effect.timeout(longestBeatMs),
      Effect.catchCause((cause) => {
        // That a later one was answered says more.
        if (startedMs >= heardMs) isBeating = false
        return logFailure(`${name}: leases could not be extended`, cause)
      })
    )
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
    yield* giveBack(past)
  })

  const whileHeld = whileHolding(works, isHolding)
  yield* whileHeld(beatMs, Effect.asVoid(FiberSet.run(beats, beat)))
  yield* whileHeld(lookMs, giveUpPast)

  return {
    /** Whether what is held can be extended; if not, nothing more is taken. */
    isBeating: () => isBeating || works.size === 0,
    /** How many more may be begun; none beside what is held while that cannot be extended. */
    room: (most: number) => (isBeating || works.size === 0 ? most - works.size : 0),
    /** Whether a claim of an instant of `elapsedMs` came so late that nothing of it is begun; it is given back then. */
    isLate: Effect.fnUntraced(function* (claimedMs: number, held: ReadonlyArray<HeldLease>) {
      if (!isPast({ untilMs: claimedMs + claimMs }, yield* elapsedMs)) return false
      yield* Effect.logWarning(
        `${name}: a claim took longer than its lease lasts, and ${held.length} are given back`
      )
      yield* giveBack(held.map((each) => ({ held: each, fiber: undefined })))
      return true
    }),
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
