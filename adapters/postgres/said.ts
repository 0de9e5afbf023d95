/**
 * Says a statement of a store where it belongs: in the transaction that runs, or on whichever session is free. What a
 * transaction knows already is answered at once, without any of the steps of a statement.
 */
import { Context, Effect, Exit } from "effect"
import type { SqlClient, TransactionConnection } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Spans from "../../core/operation/spans.ts"
import { Gathered, type Gathering, type Place } from "./asked-together.ts"
import * as Defect from "./defect.ts"
import type * as Merged from "./merged.ts"
import type { ReadAgain } from "./read-again.ts"
import { type Compiling, saidBy } from "./texts.ts"

/** How many rows a statement that may wait must write to, if that matters. */
export type Expected = "any" | number

/** Whether the statement that runs may wait for others. Outside of a transaction it never does. */
export const MayWait = Context.Reference<Expected | undefined>("bursar/postgres/MayWait", {
  defaultValue: () => undefined
})

/**
 * Whether every write is said at once, and none waits: in a transaction that is begun again because a write that had waited
 * did not find its row.
 */
export const AtOnce = Context.Reference<boolean>("bursar/postgres/AtOnce", {
  defaultValue: () => false
})

export type Rows = ReadonlyArray<unknown>

/** A session as the statements of stores are said on it. */
export interface Speaking {
  readonly place: Place
  readonly rows: (
    said: Merged.Said,
    gathering: Gathering | undefined,
    expected: Expected | undefined
  ) => Effect.Effect<Rows, SqlError>
}

/** A transaction as those who look up rows for it know it. */
export interface Running extends Speaking {
  /** Whether nothing is held or written in it: what it reads may as well be read elsewhere. */
  readonly isFree: () => boolean
  /** What it was answered, for as long as that holds. */
  readonly readAgain: Pick<ReadAgain, "findRow" | "noteRow">
}

/** A client's own. */
export interface Home {
  readonly service: SqlClient["transactionService"]
  readonly outside: Speaking
}

const ofClient = Symbol("bursar/postgres/home")

interface Made {
  readonly [ofClient]?: Home
}

/** The same client, whose statements know where they are said. */
export const athome = (client: SqlClient, outside: Speaking): SqlClient => {
  const home: Home = { service: client.transactionService, outside }
  const make = client as unknown as (...given: ReadonlyArray<unknown>) => object
  const making = (...given: ReadonlyArray<unknown>) => {
    const made = make(...given)
    return Array.isArray(given[0]) ? Object.assign(made, { [ofClient]: home }) : made
  }
  const same = Object.assign(making, client) as unknown as { safe: SqlClient } & SqlClient
  same.safe = same
  return same
}

/** The transaction that runs, if one does. A client that has a home lends nothing else. */
export const runningIn = (
  service: SqlClient["transactionService"],
  services: Context.Context<never>
): Running | undefined => {
  const running = Context.getOrUndefined(
    services as Context.Context<TransactionConnection>,
    service
  )
  return running === undefined ? undefined : (running[0] as unknown as Running)
}

/** Where a statement is said, unless the client itself must say it: where spans are made, it makes them. */
const speakingIn = (statement: object, services: Context.Context<never>): Speaking | undefined => {
  const home = (statement as Made)[ofClient]
  if (home === undefined || Spans.areOnIn(services)) return undefined
  return runningIn(home.service, services) ?? home.outside
}

type Statement<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError>

/** A question that waits for its rows and nothing else: whoever asks several needs no fiber for it. */
interface Question {
  readonly statement: object
  readonly of: (rows: Rows) => unknown
}

const ofQuestion = Symbol("bursar/postgres/question")

interface Asking {
  readonly [ofQuestion]?: () => Question | undefined
}

const questionOf = (effect: object): Question | undefined => (effect as Asking)[ofQuestion]?.()

const asking = <A>(
  effect: Effect.Effect<A>,
  question: () => Question | undefined
): Effect.Effect<A> => Object.assign(effect, { [ofQuestion]: question })

/** What is made of the rows of a statement. One that fails is a defect. */
export const answered = <Row, A>(
  statement: Statement<Row>,
  of: (rows: ReadonlyArray<Row>) => A,
  rowsToFind?: Expected
): Effect.Effect<A> => {
  const effect = Effect.withFiber(({ context }) => {
    const expected = Context.get(context, AtOnce) ? undefined : rowsToFind
    const speaking = speakingIn(statement, context)
    const rows: Statement<Row> =
      speaking === undefined
        ? expected === undefined
          ? statement
          : Effect.provideService(statement, MayWait, expected)
        : (speaking.rows(
            saidBy(statement as unknown as Compiling),
            Context.get(context, Gathered),
            expected
          ) as Statement<Row>)
    return Exit.isExit(rows) && Exit.isSuccess(rows)
      ? Effect.succeed(of(rows.value as ReadonlyArray<Row>))
      : Defect.orDie(Effect.map(rows, of))
  })
  return asking(effect, () => ({ statement, of: of as (rows: Rows) => unknown }))
}

/** What is made of an answer; it stays a question. */
export const mapped = <A, B>(found: Effect.Effect<A>, make: (found: A) => B): Effect.Effect<B> => {
  const effect = Effect.map(found, make)
  return asking(effect, () => {
    const question = questionOf(found)
    if (question === undefined) return undefined
    const { of, statement } = question
    return { statement, of: (rows) => make(of(rows) as A) }
  })
}

/** An effect that asks the same as `question` wherever several are asked. */
export const askedAs = <A>(
  effect: Effect.Effect<A>,
  question: () => Effect.Effect<A>
): Effect.Effect<A> => asking(effect, () => questionOf(question()))

/** What a question says and where, if it needs no fiber to be asked. */
export const plainly = (question: object, services: Context.Context<never>) => {
  const asked = questionOf(question)
  if (asked === undefined) return undefined
  const speaking = speakingIn(asked.statement, services)
  if (speaking === undefined) return undefined
  return { of: asked.of, place: speaking.place, said: saidBy(asked.statement as Compiling) }
}
