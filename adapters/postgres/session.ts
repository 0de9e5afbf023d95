/**
 * A session inside a transaction. What answers nothing waits and goes in one packet with the next statement
 * that answers, or with the commit: each packet is a round trip, and the order of statements never changes.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Context, Effect, Predicate } from "effect"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { ReadAgain } from "./read-again.ts"

/** What a statement answers that may wait: nothing, or that there was a row to write to. */
export type Expected = "nothing" | "a row"

/** Whether the statement that runs may wait for others. Outside of a transaction it never does. */
export const MayWait = Context.Reference<Expected | undefined>("bursar/postgres/MayWait", {
  defaultValue: () => undefined
})

interface Waiting {
  readonly statement: string
  readonly parameters: ReadonlyArray<unknown>
  readonly expected: Expected
}

type Rows = ReadonlyArray<PgConnection.Row>

/** As many wait at most: a packet that no answer empties is a deadlock of two full buffers. */
const maxWaiting = 64

const all = { concurrency: "unbounded" } as const

const noRow = () => new Error("The row to write to is not there")

const rolledBack = () =>
  new SqlError({
    reason: new UnknownError({
      cause: new Error("The transaction was aborted before its commit"),
      message: "The transaction was aborted before its commit",
      operation: "commit"
    })
  })

const savepointOf = (statement: string) => /^savepoint (\S+)$/iu.exec(statement)?.[1]
const returnTo = (statement: string) => /^rollback to savepoint (\S+)$/iu.exec(statement)?.[1]

/** Without a row to write to, the database divides by zero: the commit that is sent with it then commits nothing. */
const withRow = (statement: string) =>
  `with written as (${statement}) select 1 / count(*) as row from written`

const divisionByZero = "22012"

const codeOf = ({ reason }: SqlError): unknown =>
  Predicate.hasProperty(reason.cause, "code") ? reason.cause.code : undefined

const failed = ({ expected }: Waiting, error: SqlError): Effect.Effect<never, SqlError> =>
  expected === "a row" && codeOf(error) === divisionByZero
    ? Effect.die(noRow())
    : Effect.fail(error)

/** Statements outside of a transaction: each is a round trip. */
export class Session implements Connection {
  protected readonly connection: PgConnection.PgConnection
  readonly #discard: Effect.Effect<void>
  /** Whoever was interrupted has left a statement on the wire: nothing more is said here. */
  protected isDiscarded = false

  /** `discard` closes the session once it is given back; the server ends what was under way in it. */
  constructor(connection: PgConnection.PgConnection, discard: Effect.Effect<void>) {
    this.connection = connection
    this.#discard = discard
  }

  protected guarded<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onInterrupt(work, () =>
      Effect.suspend(() => {
        this.isDiscarded = true
        return this.#discard
      })
    )
  }

  query(
    statement: string,
    parameters: ReadonlyArray<unknown>,
    isPrepared = true
  ): Effect.Effect<PgConnection.Result, SqlError> {
    return this.guarded(this.connection.query(statement, parameters, isPrepared))
  }

  execute(statement: string, parameters: ReadonlyArray<unknown>): Effect.Effect<Rows, SqlError> {
    return Effect.map(this.query(statement, parameters), ({ rows }) => rows)
  }

  executeRaw(
    statement: string,
    parameters: ReadonlyArray<unknown>
  ): Effect.Effect<PgConnection.Result | undefined, SqlError> {
    return this.query(statement, parameters)
  }

  executeUnprepared(statement: string, parameters: ReadonlyArray<unknown>) {
    return Effect.map(this.query(statement, parameters, false), ({ rows }) => rows)
  }

  executeValues(statement: string, parameters: ReadonlyArray<unknown>) {
    return this.guarded(this.connection.queryValues(statement, parameters))
  }

  executeValuesUnprepared(statement: string, parameters: ReadonlyArray<unknown>) {
    return this.guarded(this.connection.queryValues(statement, parameters, false))
  }

  executeStream(): Stream.Stream<never, SqlError> {
    return Stream.die(new Error("Nothing here reads rows one by one"))
  }
}

/** The session of one transaction, from its begin to its end. */
export class Transaction extends Session {
  #waiting: ReadonlyArray<Waiting> = []
  #hasBegun = false
  readonly #readAgain = new ReadAgain()

  override query(
    statement: string,
    parameters: ReadonlyArray<unknown>,
    isPrepared = true
  ): Effect.Effect<PgConnection.Result, SqlError> {
    return Effect.suspend(() => {
      const known = this.#readAgain.find(statement, parameters)
      if (known !== undefined) return Effect.succeed(known)
      return Effect.tap(this.#asked(statement, parameters, isPrepared), (result) =>
        Effect.sync(() => this.#readAgain.note(statement, parameters, result))
      )
    })
  }

  #asked(
    statement: string,
    parameters: ReadonlyArray<unknown>,
    isPrepared: boolean
  ): Effect.Effect<PgConnection.Result, SqlError> {
    return Effect.suspend(() => {
      const waiting = this.#waiting
      this.#waiting = []
      this.#hasBegun = true
      const own = this.connection.query(statement, parameters, isPrepared)
      if (waiting.length === 0) return this.guarded(own)
      const before = waiting.map((each) =>
        Effect.catch(this.connection.query(each.statement, each.parameters), (error) =>
          failed(each, error)
        )
      )
      // All are on the wire before the first answers; the first that fails is why the others do.
      return this.guarded(
        Effect.map(Effect.all([Effect.all(before, all), own], all), ([, result]) => result)
      )
    })
  }

  override execute(
    statement: string,
    parameters: ReadonlyArray<unknown>
  ): Effect.Effect<Rows, SqlError> {
    return Effect.withFiber((fiber) => {
      const expected = fiber.getRef(MayWait)
      if (expected === undefined) return this.#control(statement, parameters)
      // It cannot stand inside another statement, which would ask it for its row.
      if (expected === "a row" && /^\s*with\b/iu.test(statement)) {
        return super.execute(statement, parameters)
      }
      if (this.#waiting.length >= maxWaiting) return super.execute(statement, parameters)
      const said = expected === "a row" ? withRow(statement) : statement
      this.#wait({ statement: said, parameters, expected })
      return Effect.succeed([{}])
    })
  }

  #wait(waiting: Waiting) {
    this.#readAgain.forget()
    this.#waiting = [...this.#waiting, waiting]
  }

  /** What opens, and what takes back, needs no round trip of its own while nothing was sent. */
  #control(statement: string, parameters: ReadonlyArray<unknown>): Effect.Effect<Rows, SqlError> {
    if (statement === "BEGIN" || savepointOf(statement) !== undefined) {
      return Effect.as(
        Effect.sync(() => this.#wait({ statement, parameters, expected: "nothing" })),
        []
      )
    }
    if (statement === "ROLLBACK") {
      this.#waiting = []
      return this.#hasBegun && !this.isDiscarded
        ? super.execute(statement, parameters)
        : Effect.succeed([])
    }
    const name = returnTo(statement)
    if (name === undefined) return super.execute(statement, parameters)
    const at = this.#waiting.findLastIndex((each) => savepointOf(each.statement) === name)
    this.#waiting = at === -1 ? [] : this.#waiting.slice(0, at + 1)
    return at === -1 ? super.execute(statement, parameters) : Effect.succeed([])
  }

  override executeRaw(
    statement: string,
    parameters: ReadonlyArray<unknown>
  ): Effect.Effect<PgConnection.Result | undefined, SqlError> {
    if (statement !== "COMMIT") return this.query(statement, parameters)
    if (!this.#hasBegun && this.#waiting.length === 1) return Effect.succeed(undefined)
    return Effect.flatMap(this.query(statement, parameters), (result) =>
      result.command === "ROLLBACK" ? Effect.fail(rolledBack()) : Effect.succeed(result)
    )
  }

  // Read by place and not by name, so it goes after what waits and not with it.
  override executeValues(statement: string, parameters: ReadonlyArray<unknown>) {
    return Effect.andThen(this.#said(), super.executeValues(statement, parameters))
  }

  override executeValuesUnprepared(statement: string, parameters: ReadonlyArray<unknown>) {
    return Effect.andThen(this.#said(), super.executeValuesUnprepared(statement, parameters))
  }

  #said(): Effect.Effect<unknown, SqlError> {
    return Effect.suspend(() =>
      this.#waiting.length === 0 ? Effect.void : this.query("select 1", [])
    )
  }
}
