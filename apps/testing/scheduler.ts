/**
 * A scheduler one seed replays. It keeps what can run in one queue, takes from it in order or as the
 * seed says, and knows when nothing can run any more until time passes.
 */
import type { Scheduler } from "effect"

type Task = () => void

/** Mulberry32: small, good enough to pick a fiber. */
export const randomOf = (seed: number) => {
  let state = seed | 0
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export class SeededScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async" as const
  /** How many tasks ran. */
  turns = 0
  /** A digest of every choice made: two runs with one trace took the same way. */
  trace = 0
  readonly #queue: Array<Task> = []
  readonly #pick: (length: number) => number
  #isRunning = false
  #waiting: Array<() => void> = []

  /** In order when no seed is given. */
  constructor(seed?: number) {
    const random = seed === undefined ? undefined : randomOf(seed)
    this.#pick = random === undefined ? () => 0 : (length) => Math.floor(random() * length)
  }

  shouldYield(fiber: { readonly currentOpCount: number }): boolean {
    return fiber.currentOpCount >= 2048
  }

  makeDispatcher() {
    return {
      scheduleTask: (task: Task) => {
        this.#queue.push(task)
        if (this.#isRunning) return
        this.#isRunning = true
        setImmediate(() => this.#drain())
      },
      flush: () => this.#drain()
    }
  }

  /** Resolves once nothing can run. */
  idle(): Promise<void> {
    return this.#isRunning || this.#queue.length > 0
      ? new Promise((resume) => this.#waiting.push(resume))
      : Promise.resolve()
  }

  #drain(): void {
    while (this.#queue.length > 0) this.#turn()
    this.#isRunning = false
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  #turn(): void {
    const index = this.#pick(this.#queue.length)
    const [task] = this.#queue.splice(index, 1)
    this.turns += 1
    this.trace = (Math.imul(this.trace, 31) + index + this.#queue.length) | 0
    task?.()
  }
}
