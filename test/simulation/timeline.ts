/**
 * Virtual time, and the loop that runs everything on it without a promise or a timer: first whatever can
 * run, in the order the seed picks, and only when nothing can, on to the next moment somebody waits for.
 */
import { type Clock, Duration, Effect } from "effect"
import { SeededScheduler } from "../../apps/testing/scheduler.ts"

interface Sleeper {
  readonly atMs: number
  readonly order: number
  readonly wake: () => void
  isGone: boolean
}

const isBefore = (a: Sleeper, b: Sleeper) =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

const millisecond = 1_000_000n

export class Timeline {
  readonly scheduler: SeededScheduler
  readonly clock: Clock.Clock
  nowMs: number
  readonly #heap: Array<Sleeper> = []
  #slept = 0

  constructor(seed: number, startsAtMs: number) {
    this.scheduler = new SeededScheduler(seed)
    this.nowMs = startsAtMs
    const nanos = () => BigInt(this.nowMs) * millisecond
    this.clock = {
      currentTimeMillisUnsafe: () => this.nowMs,
      currentTimeMillis: Effect.sync(() => this.nowMs),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      // Yields after waking, so that of those who wake together the seed picks who goes first.
      sleep: (duration) => Effect.andThen(this.#sleep(duration), Effect.yieldNow)
    }
  }

  /** Runs until the moment, or until nobody waits for anything before it. */
  runUntil(untilMs: number): void {
    const dispatcher = this.scheduler.makeDispatcher()
    dispatcher.flush()
    for (let due = this.#heap[0]; due !== undefined && due.atMs <= untilMs; due = this.#heap[0]) {
      this.nowMs = Math.max(this.nowMs, due.atMs)
      while (this.#heap[0] !== undefined && this.#heap[0].atMs <= this.nowMs) {
        const sleeper = this.#pop()
        if (!sleeper.isGone) sleeper.wake()
      }
      dispatcher.flush()
    }
    this.nowMs = Math.max(this.nowMs, untilMs)
  }

  #sleep(duration: Duration.Duration): Effect.Effect<void> {
    const forMs = Duration.toMillis(duration)
    if (!Number.isFinite(forMs)) return Effect.never
    if (forMs <= 0) return Effect.void
    return Effect.callback<void>((resume) => {
      const sleeper = {
        atMs: this.nowMs + Math.ceil(forMs),
        order: this.#slept++,
        wake: () => resume(Effect.void),
        isGone: false
      }
      this.#push(sleeper)
      return Effect.sync(() => {
        sleeper.isGone = true
      })
    })
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#heap
    let at = heap.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above] as Sleeper
      if (isBefore(parent, sleeper)) break
      heap[at] = parent
      at = above
    }
    heap[at] = sleeper
  }

  #pop(): Sleeper {
    const heap = this.#heap
    const first = heap[0] as Sleeper
    const last = heap.pop() as Sleeper
    if (heap.length === 0) return first
    let at = 0
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      const right = below + 1
      const least =
        right < heap.length && isBefore(heap[right] as Sleeper, heap[below] as Sleeper)
          ? right
          : below
      if (!isBefore(heap[least] as Sleeper, last)) break
      heap[at] = heap[least] as Sleeper
      at = least
    }
    heap[at] = last
    return first
  }
}
