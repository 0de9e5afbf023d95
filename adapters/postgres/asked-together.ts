/**
 * Gathers what several questions ask of one session until all of them wait or are answered, and says it in one
 * statement. Locks are taken before anything is read, so that what is read was committed while they were waited for.
 */
import type { Result } from "@effect/sql-pg/PgConnection"
import { Context, Effect, Exit, Fiber } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Beginning } from "./joint.ts"
import * as Merged from "./merged.ts"
import { isLock, isRepeatable, keyOf } from "./read-again.ts"

/** Where statements are said: a transaction, or whichever session is free. */
export interface Place {
  readonly say: (said: Merged.Said) => Effect.Effect<Result, SqlError>
  /** Hears what each was answered. */
  readonly note: (said: Merged.Said, result: Result) => void
  /** What it knows without asking. */
  readonly known: (said: Merged.Said) => Result | undefined
  /** Begins as one with others: what each was answered, by its key; undefined, at once or later, where it goes by itself. */
  readonly join?: (
    beginning: Beginning
  ) => Effect.Effect<ReadonlyMap<string, Result> | undefined, SqlError> | undefined
}

/** A statement on its way, and how many still wait for what it answers. */
interface Saying {
  waiting: number
  fiber?: Fiber.Fiber<unknown, SqlError>
}

interface Asked extends Merged.Said {
  readonly place: Place
  readonly answer: (exit: Exit.Exit<Result, SqlError>) => void
  saying?: Saying
}

const all = { concurrency: "unbounded" } as const

/**
 * Each to its end, as a session is lost when what is on its wire is interrupted. The first in order that failed is why
 * those behind it did.
 */
const toTheirEnds = <A>(
  works: ReadonlyArray<Effect.Effect<A, SqlError>>
): Effect.Effect<ReadonlyArray<A>, SqlError> => {
  const [only, ...others] = works
  if (only !== undefined && others.length === 0) return Effect.map(only, (answer) => [answer])
  return Effect.flatMap(
    Effect.all(
      works.map((work) => Effect.exit(work)),
      all
    ),
    (exits) => Effect.all(exits)
  )
}

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
const answers = (place: Place, asked: ReadonlyArray<Asked>) => {
  const different = new Map(asked.map((one) => [keyOf(one.statement, one.parameters), one]))
  const [reads, locks]: [Array<Asked>, Array<Asked>] = [[], []]
  for (const one of different.values()) (isLock(one.statement) ? locks : reads).push(one)
  // Both are on their way before the first is answered, and the database does one after the other.
  const groups = [locks, reads].filter(({ length }) => length > 0)
  const byItself = Effect.suspend(() =>
    Effect.map(
      toTheirEnds(groups.map((group) => said(place, group))),
      (results) =>
        new Map(
          groups.flatMap((group, at) =>
            group.map((one, nth) => [
              keyOf(one.statement, one.parameters),
              results[at]?.[nth] as Result
            ])
          )
        )
    )
  )
  const joined = place.join?.({ locks, reads })
  const answered: Effect.Effect<ReadonlyMap<string, Result>, SqlError> = joined === undefined
    ? byItself
    : Effect.flatMap(joined, (found) => (found === undefined ? byItself : Effect.succeed(found)))
  return Effect.map(answered, (byKey) => {
    for (const one of groups.flat()) {
      place.note(one, byKey.get(keyOf(one.statement, one.parameters)) as Result)
    }
    return byKey
  })
}

/** All who asked hear how it ended: one who did not would wait for ever. */
const answered = (place: Place, asked: ReadonlyArray<Asked>) =>
  Effect.onExit(answers(place, asked), (exit) =>
    Effect.sync(() => {
      for (const { answer, parameters, statement } of asked) {
        answer(Exit.map(exit, (byKey) => byKey.get(keyOf(statement, parameters)) as Result))
      }
    })
  )

/** Questions of one who asks several, and of those who ask several for it. */
export class Gathering {
  readonly #services: Context.Context<never>
  #atWork: number
  #asked: Array<Asked> = []

  constructor(questions: number, services: Context.Context<never>) {
    this.#atWork = questions
    this.#services = services
  }

  /** One of the questions asks several itself: they take its place. */
  enter(questions: number): void {
    this.#atWork += questions - 1
  }

  /** Questions of one who asked several have ended without an answer: that one goes on in their place. */
  leave(questions: number): void {
    this.#atWork -= questions - 1
  }

  /** What is known of it, unless a lock is about to be taken there: what was read before may have changed by then. */
  known(place: Place, said: Merged.Said): Result | undefined {
    const isAboutToLock = this.#asked.some((one) => one.place === place && isLock(one.statement))
    return isAboutToLock && !isLock(said.statement) ? undefined : place.known(said)
  }

  /** Whether it need not be said by itself. */
  takes({ statement }: Merged.Said): boolean {
    return isRepeatable(statement) || isLock(statement)
  }

  /** Asks it with the others, who must still be told that this one waits. Gives what withdraws it. */
  register(
    place: Place,
    { parameters, statement }: Merged.Said,
    answer: Asked["answer"]
  ): () => Effect.Effect<void> {
    const asked: Asked = { place, statement, parameters, answer }
    this.#asked.push(asked)
    return () => this.#withdraw(asked)
  }

  ask(place: Place, said: Merged.Said): Effect.Effect<Result, SqlError> {
    return Effect.callback((resume) => {
      const withdraw = this.register(place, said, resume)
      this.wait()
      return Effect.suspend(withdraw)
    })
  }

  /** A question is answered, or waits. The last one says what all of them have asked. */
  wait(): void {
    this.#atWork -= 1
    if (this.#atWork > 0 || this.#asked.length === 0) return
    const asked = this.#asked
    this.#asked = []
    this.#atWork += asked.length
    const groups = [...Map.groupBy(asked, ({ place }) => place)].map(([place, some]) => {
      const saying: Saying = { waiting: some.length }
      for (const one of some) one.saying = saying
      return { place, some, saying }
    })
    for (const { place, saying, some } of groups) {
      if (saying.waiting === 0) continue
      // By a fiber of its own: whoever happens to be last may be interrupted while others wait.
      saying.fiber = Effect.runForkWith(this.#services)(answered(place, some))
    }
  }

  /** It was interrupted. What nobody waits for any more is not said to its end. */
  #withdraw(asked: Asked): Effect.Effect<void> {
    const at = this.#asked.indexOf(asked)
    if (at >= 0) {
      this.#asked.splice(at, 1)
      this.#atWork += 1
    }
    const { saying } = asked
    if (saying === undefined) return Effect.void
    saying.waiting -= 1
    return saying.waiting > 0 || saying.fiber === undefined
      ? Effect.void
      : Fiber.interrupt(saying.fiber)
  }
}

/** What the fiber asks with others, if it does. */
export const Gathered = Context.Reference<Gathering | undefined>("bursar/postgres/Gathered", {
  defaultValue: () => undefined
})
