/**
 * Delivers webhooks: takes endpoints under lease, asks for their due deliveries by the batch, and makes the
 * attempts of each side by side. An endpoint that hangs holds its own places and nobody else's.
 */
import { DateTime, Deferred, Duration, Effect, FiberSet, Queue } from "effect"
import * as Holding from "../background/holding.ts"
import { PollInterval, supervise, untilDue } from "../background/loop.ts"
import { logFailure } from "../background/outage.ts"
import type { Release } from "../ports/leases.ts"
import { Notifier } from "../ports/notifier.ts"
import type { Delivery } from "./delivery.ts"
import { Deliveries, type LeasedDelivery } from "./delivery-store.ts"
import { attempt } from "./dispatch.ts"
import { maxWhileFailing } from "./health.ts"
import * as Hold from "./hold.ts"

const name = "Delivering webhooks"

/** How many endpoints one process holds at once. */
const maxHeld = 200

/** Of the endpoints that are free one process takes an eighth at a time, as others look for some too. */
const part = 1 / 8

/** The most deliveries that one claim hands out. */
const maxClaimed = 1000

/** Half of it is of endpoints that are held, the other half of those that are taken, of which so many are taken at once. */
const maxMore = maxClaimed / 2
const maxTaken = Math.floor(maxClaimed / 2 / Hold.maxPerEndpoint)

/** Whoever is told of something and finds that others were sooner listens this much later, twice as long each time. */
const firstBackoffMs = 10
const longestBackoffMs = 100

/** When the next delivery is due is asked for after this, as a hint that comes sooner makes that needless. */
const quietMs = 20

/** How long a process that stops waits for the database to take its endpoints back. */
const longestReleaseMs = 2000

interface Serving {
  readonly hold: Hold.Hold
  /** Begins what has a place, ends the hold when nothing is left of it, or asks for more. */
  readonly settle: () => void
}

/** What this process holds, and what it knows of the queue between two looks at it. */
const opened = Effect.gen(function* () {
  const wakes = yield* Queue.sliding<void>(1)
  const clock = yield* Effect.clockWith(Effect.succeed)
  const state = {
    /** By lease. */
    serving: new Map<string, Serving>(),
    /** What was given up before its end, by lease. */
    left: new Map<string, Hold.Hold>(),
    /** Whether endpoints may be free. */
    mayBeFree: true,
    /** The instant by which the last claim has taken what was due. */
    claimedAt: undefined as DateTime.Utc | undefined,
    /** When the next delivery is due that is not in hand; null when that must be asked. */
    nextDue: null as { readonly at: DateTime.Utc | undefined } | null,
    lookedAtMs: 0,
    /** Whether it looks because of a hint, and how often in a row others were sooner. */
    isHinted: false,
    late: 0,
    nowMs: () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n),
    woken: Queue.take(wakes),
    wake: () => {
      Queue.offerUnsafe(wakes, undefined)
    },
    /** Anything may be due. */
    look: () => {
      state.mayBeFree = true
      state.nextDue = null
      state.lookedAtMs = state.nowMs()
      for (const { hold } of state.serving.values()) hold.hasMore = true
      state.wake()
    },
    /** Something is due then, whatever was known. Who rests until later rests anew. */
    expect: (at: DateTime.Utc | null | undefined) => {
      if (state.nextDue === null || at === null || at === undefined) return
      const known = state.nextDue.at
      // What was known to be next is under way, and says nothing of what comes after it.
      const isPast =
        known !== undefined && DateTime.toEpochMillis(known) <= clock.currentTimeMillisUnsafe()
      if (!isPast && known !== undefined && DateTime.isLessThanOrEqualTo(known, at)) return
      state.nextDue = isPast ? null : { at }
      state.wake()
    }
  }
  return state
})

type State = Effect.Success<typeof opened>

/** Makes one attempt of a hold. What cannot be written is left alone until the lease has ended by itself. */
const carrying =
  (state: State, hold: Hold.Hold, settle: () => void) => (claimed: LeasedDelivery) => {
    const { id } = claimed.delivery
    let isWritten = false
    hold.sending.add(id)
    const progress = {
      answered: () => {
        hold.sending.delete(id)
        hold.recording.add(id)
        hold.answered += 1
        settle()
      },
      releases: () => {
        hold.isEnding = Hold.isDone(hold, 1, state.nowMs())
        return hold.isEnding
      },
      written: () => {
        isWritten = true
      }
    }
    return attempt(claimed, hold, progress).pipe(
      Effect.map(({ nextAttemptAt }: Delivery) => state.expect(nextAttemptAt)),
      Effect.catchCause((cause) => {
        hold.isEnding = false
        hold.stuck.add(id)
        return logFailure("A delivery attempt failed", cause)
      }),
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (!isWritten) hold.stuck.add(id)
        })
      ),
      Effect.ensuring(
        Effect.sync(() => {
          hold.sending.delete(id)
          hold.recording.delete(id)
          settle()
        })
      )
    )
  }

/** Sends what there is of one endpoint, until nothing of it is left here, and gives it back. */
const serve = Effect.fnUntraced(function* (state: State, hold: Hold.Hold) {
  const fibers = yield* FiberSet.make<void>()
  const run = yield* FiberSet.runtime(fibers)<Effect.Services<ReturnType<typeof attempt>>>()
  const isOver = yield* Deferred.make<void>()
  const settle = () => {
    while (Hold.hasPlace(hold) && hold.ready.length > 0) {
      run(carry(hold.ready.shift() as LeasedDelivery))
    }
    if (Hold.isDone(hold, 0, state.nowMs())) Deferred.doneUnsafe(isOver, Effect.void)
    else if (Hold.mustAsk(hold, state.nowMs())) state.wake()
  }
  const carry = carrying(state, hold, settle)
  state.serving.set(hold.lease, { hold, settle })
  settle()
  yield* Deferred.await(isOver)
  if (!hold.isEnding && hold.stuck.size === 0)
    yield* (yield* Deliveries).release([Hold.inHand(hold)])
  // It always has more, and somebody else may have waited for it.
  if (!hold.isEnding && hold.hasMore) yield* (yield* Notifier).signal("deliveries")
}, Effect.scoped)

const served = (state: State, hold: Hold.Hold) =>
  serve(state, hold).pipe(
    Effect.onInterrupt(() => Effect.sync(() => state.left.set(hold.lease, hold))),
    Effect.ensuring(
      Effect.sync(() => {
        state.serving.delete(hold.lease)
        if (hold.hasMore) state.mayBeFree = true
        if (state.mayBeFree) state.wake()
      })
    )
  )

/** Asks for more of what is held, and takes what is free. */
const claim = Effect.fnUntraced(function* (
  state: State,
  asked: ReadonlyArray<Serving>,
  most: number
) {
  const held = asked.map(({ hold }) => Hold.asking(hold, state.nowMs()))
  if (most > 0) state.mayBeFree = false
  const now = yield* DateTime.now
  state.claimedAt = now
  return yield* (yield* Deliveries)
    .claim({
      now,
      leaseMs: Holding.claimMs,
      held,
      most,
      part,
      maxPerEndpoint: Hold.maxPerEndpoint,
      maxWhileFailing
    })
    .pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          for (const { hold } of asked) hold.isAsking = false
          if (exit._tag === "Success") return
          state.look()
          // What ended meanwhile waited for the answer that did not come.
          for (const { settle } of asked) settle()
        })
      )
    )
})

/** Several processes are told of the same, and one of them is enough: those that find nothing leave it to the others. */
const hearing = (state: State, hint: Effect.Effect<void>) =>
  hint.pipe(
    Effect.andThen(
      Effect.suspend(() => {
        if (state.late === 0) return Effect.void
        const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (state.late - 1))
        return Effect.sleep(Math.max(0, state.lookedAtMs + backoffMs - state.nowMs()))
      })
    ),
    Effect.andThen(
      Effect.sync(() => {
        state.isHinted = true
        state.look()
      })
    ),
    Effect.forever
  )

/** Waits until something is due, ends, or somebody hints at it. */
const rest = Effect.fnUntraced(function* (state: State, mayTake: boolean) {
  if (state.nextDue === null) {
    const quiet = state.lookedAtMs + quietMs - state.nowMs()
    if (quiet > 0) return yield* Effect.raceFirst(state.woken, Effect.sleep(quiet))
    state.nextDue = { at: undefined }
    const held = [...state.serving.values()].map(({ hold }) => Hold.inHand(hold))
    const claimedAt = state.claimedAt ?? (yield* DateTime.now)
    state.expect(yield* (yield* Deliveries).nextDue(claimedAt, held))
  }
  const due = state.nextDue?.at
  // It became due after the last claim, while that was found out.
  if (mayTake && due !== undefined && DateTime.isLessThanOrEqualTo(due, yield* DateTime.now)) {
    return state.look()
  }
  const untilLook = Duration.subtract(
    yield* PollInterval,
    Duration.millis(state.nowMs() - state.lookedAtMs)
  )
  const pause = Effect.sleep(Duration.min(yield* untilDue(due), untilLook))
  yield* Effect.raceFirst(state.woken, Effect.andThen(pause, Effect.sync(state.look)))
})

type Leases = Effect.Success<ReturnType<typeof Holding.make>>

const turn = Effect.fnUntraced(function* (state: State, leases: Leases) {
  const all = [...state.serving.values()]
  const nowMs = state.nowMs()
  const room = Math.min(maxTaken, leases.room(maxHeld))
  const most = state.mayBeFree ? Math.max(0, room) : 0
  const isWanted = most > 0 || all.some(({ hold }) => Hold.mustAsk(hold, nowMs))
  if (!leases.isBeating() || !isWanted) return yield* rest(state, leases.isBeating() && room > 0)
  const asked = Hold.together(all, nowMs, maxMore)
  const startedMs = yield* Holding.elapsedMs
  const claimed = Map.groupBy(yield* claim(state, asked, most), ({ lease }) => lease)
  // What it was told of may be of an endpoint that is held here and has no place: then nobody else was sooner.
  if (claimed.size > 0 || all.some(({ hold }) => !Hold.hasPlace(hold))) state.late = 0
  else if (state.isHinted) state.late += 1
  state.isHinted = false
  for (const { hold, settle } of asked) {
    const rows = claimed.get(hold.lease) ?? []
    claimed.delete(hold.lease)
    // One that was given up meanwhile hands its rows to whoever holds the endpoint next.
    if (!state.serving.has(hold.lease)) continue
    Hold.handed(hold, rows)
    settle()
  }
  // One by itself is less than a claim takes where more are free.
  if (claimed.size > 1) state.mayBeFree = true
  const taken = [...claimed.values()].map((rows) => Hold.make(rows, startedMs))
  if (taken.length > 0 && (yield* leases.isLate(startedMs, taken.map(Hold.inHand)))) return
  for (const hold of taken) yield* leases.begin(Hold.inHand(hold), startedMs, served(state, hold))
})

/**
 * Gives back what was given up, so that others may send to it at once. An endpoint that was sent something of which
 * nothing is written down waits for the end of its lease, as it would be sent that again.
 */
const givingBack =
  (state: State, release: Release): Release =>
  (held) =>
    release(held.filter(({ lease }) => (state.left.get(lease)?.stuck.size ?? 0) === 0)).pipe(
      Effect.andThen(
        Effect.sync(() => {
          for (const { lease } of held) state.left.delete(lease)
          state.look()
        })
      )
    )

/** Every process does it, and each endpoint is at one of them at a time. */
export const deliver = supervise(
  name,
  Effect.gen(function* () {
    const deliveries = yield* Deliveries
    const state = yield* opened
    // What is in hand when the process stops need not wait for its leases to end.
    yield* Effect.addFinalizer(() =>
      deliveries.release([...state.left.values()].map(Hold.inHand)).pipe(
        Effect.timeout(longestReleaseMs),
        Effect.catchCause((cause) => Effect.logDebug("Endpoints could not be given back", cause)),
        Effect.when(Effect.sync(() => state.left.size > 0))
      )
    )
    const next = yield* (yield* Notifier).listen("deliveries")
    // All that waits for an endpoint waits for whoever held it and died.
    const { release, renew } = deliveries
    const queue = { renew, release: givingBack(state, release) }
    const leases = yield* Holding.make(name, queue, Holding.claimMs)
    yield* Effect.forkScoped(hearing(state, next))
    yield* supervise(name, turn(state, leases))
  }).pipe(Effect.scoped)
)
