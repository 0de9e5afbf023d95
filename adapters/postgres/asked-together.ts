/**
 * Gathers what several questions ask of one session until all of them wait or are answered, and says it in one
 * statement. Locks are taken before anything is read, so that what is read was committed while they were waited for.
 */
import type { Result } from "@effect/sql-pg/PgConnection"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { Together } from "../../core/ports/together.ts"
import * as Merged from "./merged.ts"
import { isLock, isRepeatable, keyOf } from "./read-again.ts"

/** Where statements are said: a transaction, or whichever session is free. */
export interface Place {
  readonly say: (said: Merged.Said) => Effect.Effect<Result, SqlError>
  /** Hears what each was answered. */
  readonly note: (said: Merged.Said, result: Result) => void
}

/** A statement on its way, and how many still wait for what it answers. */
interface Saying {
  waiting: number
  fiber?: Fiber.Fiber<unknown, SqlError>
}

interface Asked extends Merged.Said {
  readonly place: Place
  readonly answer: Deferred.Deferred<Result, SqlError>
  saying?: Saying
}

const all = { concurrency: "unbounded" } as const

/**
 * Each to its end, as a session is lost when what is on its wire is interrupted. The first in order that failed is why
 * those behind it did.
 */
const toTheirEnds = <A>(works: ReadonlyArray<Effect.Effect<A, SqlError>>) =>
  Effect.flatMap(
    Effect.all(
      works.map((work) => Effect.exit(work)),
      all
    ),
    (exits) => Effect.all(exits)
  )

/** Each said by itself, or all in one once it is known what each gives. */
const said = (
  place: Place,
  asked: ReadonlyArray<Merged.Said>
): Effect.Effect<ReadonlyArray<Result>, SqlError> => {
  if (asked.length > 1 && asked.every(({ statement }) => Merged.isKnown(statement))) {
    return Effect.map(place.say(Merged.reads(asked)), ({ rows: [row] }) =>
      asked.map(({ statement }, at) => Merged.answerOf(row, at, statement))
    )
  }
  return toTheirEnds(
    asked.map((one) =>
      Effect.tap(place.say(one), (result) => Effect.sync(() => Merged.note(one.statement, result)))
    )
  )
}

/** What each was answered, by its key. */
const answers = Effect.fnUntraced(function* (place: Place, asked: ReadonlyArray<Asked>) {
  const different = new Map(asked.map((one) => [keyOf(one.statement, one.parameters), one]))
  const [reads, locks] = [
    [...different.values()].filter(({ statement }) => !isLock(statement)),
    [...different.values()].filter(({ statement }) => isLock(statement))
  ]
  // Both are on their way before the first is answered, and the database does one after the other.
  const results = (yield* toTheirEnds([said(place, locks), said(place, reads)])).flat()
  const byKey = new Map<string, Result>()
  for (const [at, one] of [...locks, ...reads].entries()) {
    const result = results[at] as Result
    place.note(one, result)
    byKey.set(keyOf(one.statement, one.parameters), result)
  }
  return byKey
})

/** All who asked hear how it ended: one who did not would wait for ever. */
const answered = (place: Place, asked: ReadonlyArray<Asked>) =>
  Effect.onExit(answers(place, asked), (exit) =>
    Effect.sync(() => {
      for (const { answer, parameters, statement } of asked) {
        const own = Exit.map(exit, (byKey) => byKey.get(keyOf(statement, parameters)) as Result)
        Deferred.doneUnsafe(answer, own)
      }
    })
  )

export class Gathering {
  #atWork: number
  #asked = new Set<Asked>()

  constructor(questions: number) {
    this.#atWork = questions
  }

  /** One of the questions asks several itself: they take its place. */
  enter(questions: number): void {
    this.#atWork += questions - 1
  }

  /** Questions of one who asked several have ended without an answer: that one goes on in their place. */
  leave(questions: number): void {
    this.#atWork -= questions - 1
  }

  /** Whether a lock is about to be taken there: what was read before may have changed by then. */
  locks(place: Place): boolean {
    return [...this.#asked].some((one) => one.place === place && isLock(one.statement))
  }

  /** Undefined where a statement must be said by itself. */
  ask(place: Place, { parameters, statement }: Merged.Said) {
    if (!isRepeatable(statement) && !isLock(statement)) return undefined
    return Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const answer = Deferred.makeUnsafe<Result, SqlError>()
        const asked: Asked = { place, statement, parameters, answer }
        this.#asked.add(asked)
        return Effect.andThen(
          this.done,
          Effect.onInterrupt(restore(Deferred.await(answer)), () => this.#withdraw(asked))
        )
      })
    )
  }

  /** A question is answered, or waits. The last one says what all of them have asked. */
  get done(): Effect.Effect<void> {
    return Effect.withFiber((fiber) => {
      this.#atWork -= 1
      if (this.#atWork > 0 || this.#asked.size === 0) return Effect.void
      const asked = [...this.#asked]
      this.#asked.clear()
      this.#atWork += asked.length
      const groups = [...Map.groupBy(asked, ({ place }) => place)].map(([place, some]) => {
        const saying: Saying = { waiting: some.length }
        for (const one of some) one.saying = saying
        return { place, some, saying }
      })
      for (const { place, saying, some } of groups) {
        if (saying.waiting === 0) continue
        // By a fiber of its own: whoever happens to be last may be interrupted while others wait.
        saying.fiber = Effect.runForkWith(fiber.context)(answered(place, some))
      }
      return Effect.void
    })
  }

  /** It was interrupted. What nobody waits for any more is not said to its end. */
  #withdraw(asked: Asked): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#asked.delete(asked)) this.#atWork += 1
      const { saying } = asked
      if (saying === undefined) return Effect.void
      saying.waiting -= 1
      return saying.waiting > 0 || saying.fiber === undefined
        ? Effect.void
        : Fiber.interrupt(saying.fiber)
    })
  }
}

/** What the fiber asks with others, if it does. */
export const Gathered = Context.Reference<Gathering | undefined>("bursar/postgres/Gathered", {
  defaultValue: () => undefined
})

const ask = (questions: ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.withFiber((fiber) => {
      if (questions.length === 0) return Effect.succeed([])
      const around = fiber.getRef(Gathered)
      const gathering = around ?? new Gathering(questions.length)
      if (around !== undefined) around.enter(questions.length)
      let open = questions.length
      // The last one leaves its place to whoever asked them. One that fails ends those beside it: nothing is said then.
      const answered = Effect.suspend(() =>
        --open === 0 && around !== undefined ? Effect.void : gathering.done
      )
      const answers = Effect.all(
        questions.map((question) =>
          Effect.provideService(
            Effect.tap(question, () => answered),
            Gathered,
            gathering
          )
        ),
        all
      )
      return Effect.onExit(restore(answers), () =>
        Effect.sync(() => {
          if (open > 0) around?.leave(open)
        })
      )
    })
  )

/** Several questions of one kind as one statement. */
export const askedAsOne = <A>(
  questions: ReadonlyArray<Effect.Effect<A>>
): Effect.Effect<ReadonlyArray<A>> =>
  // They never fail, so neither does what is made of them.
  ask(questions) as unknown as Effect.Effect<ReadonlyArray<A>>

export const layer = Layer.succeed(Together, {
  // The tuple keeps the types of its questions.
  ask: ask as unknown as Context.Service.Shape<typeof Together>["ask"],
  isRemembered: true
})
