/**
 * Asks several questions as one. One that waits for its rows and nothing else is only asked; any other has a fiber, which
 * may ask several itself. One that fails ends those beside it.
 */
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { Together } from "../../core/ports/together.ts"
import { Gathered, Gathering } from "./asked-together.ts"
import * as Defect from "./defect.ts"
import { plainly } from "./said.ts"

type Question = Effect.Effect<unknown, unknown, unknown>

type Answers = Effect.Effect<ReadonlyArray<unknown>, unknown>

const exitOf = (make: () => unknown): Exit.Exit<unknown> => {
  try {
    return Exit.succeed(make())
  } catch (defect) {
    return Exit.die(defect)
  }
}

/** A statement that fails is a defect. */
const dying = <A>(exit: Exit.Exit<A, unknown>): Exit.Exit<A> => {
  const error = Exit.findErrorOption(exit)
  return error._tag === "Some" ? Exit.die(Defect.told(error.value)) : (exit as Exit.Exit<A>)
}

/** What one has asked, from the first question to the last answer. */
class Asking {
  readonly #answers: Array<unknown>
  readonly #around: Gathering | undefined
  readonly #gathering: Gathering
  readonly #services: Context.Context<never>
  readonly #resume: (answers: Answers) => void
  /** How each ends that has neither answered nor failed. */
  readonly #ends: Array<(() => Effect.Effect<void>) | undefined> = []
  /** How many have no answer yet. */
  #open: number
  /** One was refused, or nobody waits any more: what goes on ends. */
  #isOver = false
  #ending: Fiber.Fiber<void> | undefined

  constructor(count: number, services: Context.Context<never>, resume: (answers: Answers) => void) {
    this.#answers = new Array(count)
    this.#open = count
    this.#resume = resume
    this.#around = Context.get(services, Gathered)
    this.#around?.enter(count)
    this.#gathering = this.#around ?? new Gathering(count, services)
    this.#services =
      this.#around === undefined ? Context.add(services, Gathered, this.#gathering) : services
  }

  begin(questions: ReadonlyArray<Question>): void {
    for (const [at, question] of questions.entries()) {
      // One was refused at once: nothing more is begun.
      if (this.#isOver) break
      if (!this.#onlyAsks(at, question)) this.#forks(at, question)
    }
  }

  /** Asks, if that is all there is to do; what is known is answered at once. */
  #onlyAsks(at: number, question: Question): boolean {
    const plain = plainly(question, this.#services)
    if (plain === undefined) return false
    const { of, place, said } = plain
    const known = this.#gathering.known(place, said)
    if (known !== undefined) {
      this.#ended(
        at,
        exitOf(() => of(known.rows))
      )
      return true
    }
    if (!this.#gathering.takes(said)) return false
    this.#ends[at] = this.#gathering.register(place, said, (exit) =>
      this.#ended(at, Exit.isSuccess(exit) ? exitOf(() => of(exit.value.rows)) : dying(exit))
    )
    this.#gathering.wait()
    return true
  }

  #forks(at: number, question: Question): void {
    const fiber = Effect.runForkWith(this.#services)(question as Effect.Effect<unknown, unknown>)
    this.#ends[at] = () => Fiber.interrupt(fiber)
    fiber.addObserver((exit) => this.#ended(at, exit))
  }

  #ended(at: number, exit: Exit.Exit<unknown, unknown>): void {
    this.#ends[at] = undefined
    // It was told to end, with those beside it.
    if (this.#isOver) return
    if (Exit.isFailure(exit)) {
      this.#end().addObserver(() => this.#resume(Exit.failCause(exit.cause)))
      return
    }
    this.#answers[at] = exit.value
    this.#open -= 1
    // The last one leaves its place to whoever asked them.
    if (this.#open > 0 || this.#around === undefined) this.#gathering.wait()
    if (this.#open === 0) this.#resume(Effect.succeed(this.#answers))
  }

  #end(): Fiber.Fiber<void> {
    if (this.#ending !== undefined) return this.#ending
    this.#isOver = true
    const ends = this.#ends.flatMap((end) => (end === undefined ? [] : [end()]))
    const ending = Effect.andThen(
      Effect.all(ends, { concurrency: "unbounded", discard: true }),
      Effect.sync(() => this.#around?.leave(this.#open))
    )
    this.#ending = Effect.runForkWith(this.#services)(ending)
    return this.#ending
  }

  /** Whoever asked has been interrupted. */
  get stop(): Effect.Effect<void> {
    return Effect.suspend(() => Effect.asVoid(Fiber.await(this.#end())))
  }
}

const ask = (questions: ReadonlyArray<Question>): Answers =>
  questions.length === 0
    ? Effect.succeed([])
    : Effect.contextWith((services: Context.Context<never>) =>
        Effect.callback<ReadonlyArray<unknown>, unknown>((resume) => {
          const asking = new Asking(questions.length, services, resume)
          asking.begin(questions)
          return asking.stop
        })
      )

/** Several questions of one kind as one statement. */
export const askedAsOne = <A>(
  questions: ReadonlyArray<Effect.Effect<A>>
): Effect.Effect<ReadonlyArray<A>> =>
  // They never fail, so neither does what is made of them.
  ask(questions) as Effect.Effect<ReadonlyArray<A>>

export const layer = Layer.succeed(Together, {
  // The tuple keeps the types of its questions.
  ask: ask as unknown as Context.Service.Shape<typeof Together>["ask"],
  isRemembered: true
})
