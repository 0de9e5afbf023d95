/**
 * Gathers what several questions ask of one session until all of them wait or are answered, and says it in one
 * statement. Locks are taken before anything is read, so that what is read was committed while they were waited for.
 */
import type { Result } from "@effect/sql-pg/PgConnection"
import { Context, Deferred, Effect, Layer } from "effect"
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

interface Asked extends Merged.Said {
  readonly place: Place
  readonly answer: Deferred.Deferred<Result, SqlError>
}

const all = { concurrency: "unbounded" } as const

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
  return Effect.all(
    asked.map((one) =>
      Effect.tap(place.say(one), (result) => Effect.sync(() => Merged.note(one.statement, result)))
    ),
    all
  )
}

const answered = Effect.fnUntraced(function* (place: Place, asked: ReadonlyArray<Asked>) {
  const different = new Map(asked.map((one) => [keyOf(one.statement, one.parameters), one]))
  const [reads, locks] = [
    [...different.values()].filter(({ statement }) => !isLock(statement)),
    [...different.values()].filter(({ statement }) => isLock(statement))
  ]
  // Both are on their way before the first is answered, and the database does one after the other.
  const results = (yield* Effect.all([said(place, locks), said(place, reads)], all)).flat()
  const byKey = new Map<string, Result>()
  for (const [at, one] of [...locks, ...reads].entries()) {
    const result = results[at] as Result
    place.note(one, result)
    byKey.set(keyOf(one.statement, one.parameters), result)
  }
  for (const { answer, parameters, statement } of asked) {
    yield* Deferred.succeed(answer, byKey.get(keyOf(statement, parameters)) as Result)
  }
})

export class Gathering {
  #atWork: number
  #asked: Array<Asked> = []

  constructor(questions: number) {
    this.#atWork = questions
  }

  /** One of the questions asks several itself: they take its place. */
  enter(questions: number): void {
    this.#atWork += questions - 1
  }

  /** Whether a lock is about to be taken there: what was read before may have changed by then. */
  locks(place: Place): boolean {
    return this.#asked.some((one) => one.place === place && isLock(one.statement))
  }

  /** Undefined where a statement must be said by itself. */
  ask(place: Place, { parameters, statement }: Merged.Said) {
    if (!isRepeatable(statement) && !isLock(statement)) return undefined
    return Effect.suspend(() => {
      const answer = Deferred.makeUnsafe<Result, SqlError>()
      this.#asked.push({ place, statement, parameters, answer })
      return Effect.andThen(this.#left, Deferred.await(answer))
    })
  }

  /** A question is answered. */
  get done(): Effect.Effect<void, SqlError> {
    return this.#left
  }

  get #left(): Effect.Effect<void, SqlError> {
    return Effect.suspend(() => {
      this.#atWork -= 1
      if (this.#atWork > 0 || this.#asked.length === 0) return Effect.void
      const asked = this.#asked
      this.#asked = []
      this.#atWork += asked.length
      const places = Map.groupBy(asked, ({ place }) => place)
      return Effect.forEach(places, ([place, some]) => answered(place, some), {
        ...all,
        discard: true
      })
    })
  }
}

/** What the fiber asks with others, if it does. */
export const Gathered = Context.Reference<Gathering | undefined>("bursar/postgres/Gathered", {
  defaultValue: () => undefined
})

const ask = (questions: ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>) =>
  Effect.withFiber((fiber) => {
    if (questions.length === 0) return Effect.succeed([])
    const around = fiber.getRef(Gathered)
    const gathering = around ?? new Gathering(questions.length)
    if (around !== undefined) around.enter(questions.length)
    let open = questions.length
    // The last one leaves its place to whoever asked them.
    const answered = Effect.suspend(() =>
      --open === 0 && around !== undefined ? Effect.void : Effect.orDie(gathering.done)
    )
    return Effect.all(
      questions.map((question) =>
        Effect.provideService(
          Effect.tap(question, () => answered),
          Gathered,
          gathering
        )
      ),
      all
    )
  })

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
