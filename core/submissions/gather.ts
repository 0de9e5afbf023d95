/**
 * Does together what several workers ask for at about the same time: once all of them wait, or after a moment's
 * patience with those still at work. One that hangs holds up the others for that moment, once.
 */
import { Deferred, Duration, Effect, Exit, type Scope } from "effect"

/** How long those that wait are patient with those at work. */
const patience = Duration.millis(20)

interface Waiting<A, B> {
  readonly worker: object
  readonly asked: A
  readonly answer: Deferred.Deferred<B>
  isGone: boolean
}

/** Answers each, in the order of what was asked. What it dies of, all of them die of. */
export type Together<A, B, R> = (
  asked: ReadonlyArray<A>
) => Effect.Effect<ReadonlyArray<Exit.Exit<B>>, never, R>

export class Gathering<A, B, R> {
  readonly #together: Together<A, B, R>
  readonly #scope: Scope.Scope
  readonly #atWork = new Set<object>()
  #waiting: Array<Waiting<A, B>> = []
  #isUnderWay = false
  #isTimed = false

  constructor(together: Together<A, B, R>, scope: Scope.Scope) {
    this.#together = together
    this.#scope = scope
  }

  /** Counts a worker as at work from now on. */
  enter(worker: object): void {
    this.#atWork.add(worker)
  }

  /** It asks no more. */
  leave(worker: object): Effect.Effect<void, never, R> {
    return Effect.suspend(() => {
      this.#atWork.delete(worker)
      return this.#prompt
    })
  }

  /** Waits for its part of what is done together; the worker is at work again when it has it. */
  ask(worker: object, asked: A): Effect.Effect<B, never, R> {
    return Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<B>()
      const entry: Waiting<A, B> = { worker, asked, answer, isGone: false }
      this.#waiting.push(entry)
      this.#atWork.delete(worker)
      return Effect.andThen(this.#prompt, Deferred.await(answer)).pipe(
        Effect.onInterrupt(() =>
          Effect.sync(() => {
            entry.isGone = true
            this.#waiting = this.#waiting.filter((each) => each !== entry)
          })
        )
      )
    })
  }

  /** Sees to it that what waits is done: soon, or when patience is over, or by whoever is doing something now. */
  get #prompt(): Effect.Effect<void, never, R> {
    return Effect.suspend(() => {
      if (this.#isUnderWay || this.#waiting.length === 0) return Effect.void
      if (this.#atWork.size === 0) return Effect.asVoid(Effect.forkIn(this.#soon, this.#scope))
      if (this.#isTimed) return Effect.void
      this.#isTimed = true
      return Effect.asVoid(Effect.forkIn(this.#later, this.#scope))
    })
  }

  /** Whoever is about to enter in the same moment still does. */
  get #soon(): Effect.Effect<void, never, R> {
    return Effect.andThen(
      Effect.yieldNow,
      Effect.suspend(() => (this.#atWork.size === 0 ? this.#done : this.#prompt))
    )
  }

  get #later(): Effect.Effect<void, never, R> {
    return Effect.andThen(
      Effect.sleep(patience),
      Effect.suspend(() => {
        this.#isTimed = false
        // Whoever is slow is not waited for again before it asks.
        if (!this.#isUnderWay) this.#atWork.clear()
        return this.#done
      })
    )
  }

  get #done(): Effect.Effect<void, never, R> {
    return Effect.suspend(() => {
      const all = this.#waiting
      if (this.#isUnderWay || all.length === 0) return Effect.void
      this.#waiting = []
      this.#isUnderWay = true
      return Effect.exit(this.#together(all.map(({ asked }) => asked))).pipe(
        Effect.flatMap((exit) => this.#answered(all, exit)),
        Effect.andThen(this.#prompt)
      )
    })
  }

  #answered(all: ReadonlyArray<Waiting<A, B>>, exit: Exit.Exit<ReadonlyArray<Exit.Exit<B>>>) {
    this.#isUnderWay = false
    // All of them are at work before the first goes on.
    for (const { isGone, worker } of all) if (!isGone) this.#atWork.add(worker)
    return Effect.forEach(
      all,
      ({ answer }, at) =>
        Exit.isFailure(exit)
          ? Deferred.failCause(answer, exit.cause)
          : Deferred.done(answer, exit.value[at] as Exit.Exit<B>),
      { discard: true }
    )
  }
}

export const make = <A, B, R>(together: Together<A, B, R>) =>
  Effect.map(Effect.scope, (scope) => new Gathering(together, scope))
