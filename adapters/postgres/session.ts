/**
 * A session inside a transaction. What answers nothing waits and goes in one packet with the next statement
 * that answers, or with the commit: each packet is a round trip, and the order of statements never changes. Nothing is
 * opened for reads alone, nor around a single statement that is all there is to write.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit } from "effect"
import * as Stream from "effect/Stream"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { Gathered, type Gathering, type Place } from "./asked-together.ts"
import { begin, isControl, releaseOf, returnTo, savepointOf } from "./control.ts"
import { Apart, type Beginning, type Member } from "./joint.ts"
import * as Merged from "./merged.ts"
import { isLock, isRepeatable, ReadAgain } from "./read-again.ts"
import * as ReadOnce from "./read-once.ts"
import { type Expected, MayWait, type Running } from "./said.ts"
import { failed, gatheredOf, rolledBack, saidAll, withLast } from "./waiting-writes.ts"

type Rows = ReadonlyArray<PgConnection.Row>

/** As many wait at most: a packet that no answer empties is a deadlock of two full buffers. */
const maxWaiting = 64

const all = { concurrency: "unbounded" } as const

const noted = (
  { statement }: Merged.Said,
  answer: Effect.Effect<PgConnection.Result, SqlError>
): Effect.Effect<PgConnection.Result, SqlError> =>
  Effect.map(answer, (result) => {
    Merged.note(statement, result)
    return result
  })

/** Statements outside of a transaction: each is a round trip. */
export class Session implements Connection {
  /** The connection that it has, or takes when it first says something. */
  protected readonly connection: Effect.Effect<PgConnection.PgConnection, SqlError>
  readonly #discard: Effect.Effect<void>
  /** Whoever was interrupted has left a statement on the wire: nothing more is said here. */
  protected isDiscarded = false

  /** `discard` closes the session once it is given back; the server ends what was under way in it. */
  constructor(
    connection: Effect.Effect<PgConnection.PgConnection, SqlError>,
    discard: Effect.Effect<void>
  ) {
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

  /** The one place where a statement goes to the server. */
  protected say(
    { parameters, statement }: Merged.Said,
    isPrepared = true
  ): Effect.Effect<PgConnection.Result, SqlError> {
    return Effect.flatMap(this.connection, (connection) =>
      connection.query(statement, parameters, isPrepared)
    )
  }

  query(
    statement: string,
    parameters: ReadonlyArray<unknown>,
    isPrepared = true
  ): Effect.Effect<PgConnection.Result, SqlError> {
    return this.guarded(this.say({ statement, parameters }, isPrepared))
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
    return this.guarded(
      Effect.flatMap(this.connection, (connection) => connection.queryValues(statement, parameters))
    )
  }

  executeValuesUnprepared(statement: string, parameters: ReadonlyArray<unknown>) {
    return this.guarded(
      Effect.flatMap(this.connection, (connection) =>
        connection.queryValues(statement, parameters, false)
      )
    )
  }

  executeStream(): Stream.Stream<never, SqlError> {
    return Stream.die(new Error("Nothing here reads rows one by one"))
  }
}

/** What a transaction is lent. */
export interface Lent {
  /** Takes the session that it keeps to its end, with the first thing that it says. */
  readonly connection: Effect.Effect<PgConnection.PgConnection, SqlError>
  readonly isTaken: () => boolean
  readonly discard: Effect.Effect<void>
  /** Reads on a session that many share. */
  readonly read: (said: Merged.Said) => Effect.Effect<PgConnection.Result, SqlError>
  /** Commits writes that are all of a transaction on a session of others; undefined where these cannot be. */
  readonly commit: (
    writes: ReadonlyArray<Merged.Write>
  ) => Effect.Effect<PgConnection.Result, SqlError> | undefined
  /** Begins as one with others that hold the same; undefined, at once or later, where it goes by itself. */
  readonly join: (beginning: Beginning) => Effect.Effect<Member | undefined, SqlError> | undefined
}

/** One transaction, from its begin to its end. */
export class Transaction extends Session implements Running {
  readonly #lent: Lent
  #waiting: ReadonlyArray<Merged.Write> = []
  /** Whether the database knows of it. */
  #hasBegun = false
  /** Whether something was asked that only a session of its own can answer. Before, each read sees what is committed, as it does inside. */
  #isBound = false
  /** What it is among others, where it began as one with them. */
  #member: Member | undefined
  readonly readAgain = new ReadAgain()
  readonly place: Place = {
    say: (said) => this.#asked(said),
    join: (beginning) => this.#joined(beginning),
    note: ({ parameters, statement }, result) => {
      // It is asked for again by whoever it was asked ahead for.
      ReadOnce.share(result.rows)
      this.#note(statement, parameters, result)
    },
    known: ({ parameters, statement }) => this.readAgain.find(statement, parameters)
  }

  constructor(lent: Lent) {
    super(lent.connection, lent.discard)
    this.#lent = lent
  }

  isFree(): boolean {
    return !this.#isBound && this.#waiting.every(isControl)
  }

  rows(
    said: Merged.Said,
    gathering: Gathering | undefined,
    expected: Expected | undefined
  ): Effect.Effect<Rows, SqlError> {
    const written = expected === undefined ? undefined : this.#later(said, gathering, expected)
    return written === undefined
      ? Effect.mapEager(this.#answer(said, gathering), ({ rows }) => rows)
      : Effect.succeed(written)
  }

  override query(
    statement: string,
    parameters: ReadonlyArray<unknown>,
    isPrepared = true
  ): Effect.Effect<PgConnection.Result, SqlError> {
    return Effect.withFiber((fiber) =>
      this.#answer({ statement, parameters }, fiber.getRef(Gathered), isPrepared)
    )
  }

  #answer(
    said: Merged.Said,
    gathering: Gathering | undefined,
    isPrepared = true
  ): Effect.Effect<PgConnection.Result, SqlError> {
    const known =
      gathering === undefined ? this.place.known(said) : gathering.known(this.place, said)
    if (known !== undefined) return Effect.succeed(known)
    if (gathering?.takes(said) === true) return gathering.ask(this.place, said)
    return Effect.map(this.#asked(said, isPrepared), (result) => {
      this.#note(said.statement, said.parameters, result)
      return result
    })
  }

  #note(statement: string, parameters: ReadonlyArray<unknown>, result: PgConnection.Result) {
    if (!isControl({ statement })) this.readAgain.note(statement, parameters, result)
  }

  /** What it locks first, and reads under that, is asked with others who do the same. */
  #joined(beginning: Beginning) {
    if (!this.isFree()) return undefined
    const joining = this.#lent.join(beginning)
    if (joining === undefined) return undefined
    this.#isBound = true
    // Whoever is counted in must be able to leave: the others, and what is held, wait for it.
    return Effect.uninterruptible(
      Effect.map(joining, (member) => {
        this.#member = member
        return member?.answers
      })
    )
  }

  /** Nothing of it is written before its end, as the others would see that. */
  #askedAmong(member: Member, said: Merged.Said) {
    return isRepeatable(said.statement) && this.#waiting.every(isControl)
      ? noted(said, member.read(said))
      : Effect.die(new Apart())
  }

  #asked(said: Merged.Said, isPrepared = true): Effect.Effect<PgConnection.Result, SqlError> {
    if (this.#member !== undefined) return this.#askedAmong(this.#member, said)
    if (isPrepared && this.#needsNone(said)) return noted(said, this.#lent.read(said))
    // Known before it has its session: what is asked after a lock is read after it, too.
    this.#isBound = true
    // Once it has its session, what follows is on the wire in the order in which it is said.
    return Effect.flatMap(this.connection, () => {
      const groups = this.#opened()
      const last = groups.at(-1)
      if (last !== undefined && withLast(last, said)) {
        return this.#inOrder(groups.slice(0, -1), this.#withAnswer(last, said))
      }
      return this.#inOrder(groups, this.#heard(said, isPrepared))
    })
  }

  #heard(said: Merged.Said, isPrepared: boolean) {
    return this.guarded(noted(said, this.say(said, isPrepared)))
  }

  /** A read before anything is locked or written. */
  #needsNone({ statement }: Merged.Said): boolean {
    return isRepeatable(statement) && this.isFree()
  }

  /** What waits, behind what opens the transaction. */
  #opened(): ReadonlyArray<ReadonlyArray<Merged.Write>> {
    const groups = gatheredOf(this.#waiting)
    this.#waiting = []
    if (this.#hasBegun) return groups
    this.#hasBegun = true
    return [[begin], ...groups]
  }

  /**
   * All are on the wire before the first answers, and all are heard: to leave one unheard would cost the session. The
   * first that fails is why the others do.
   */
  #inOrder(
    groups: ReadonlyArray<ReadonlyArray<Merged.Write>>,
    own: Effect.Effect<PgConnection.Result, SqlError>
  ) {
    const before = groups.map((group) => Effect.exit(this.#saidAll(group)))
    return this.guarded(
      Effect.flatMap(
        Effect.all([Effect.all(before, all), Effect.exit(own)], all),
        ([said, last]) => {
          const failure = said.find(Exit.isFailure)
          return failure === undefined ? last : failure
        }
      )
    )
  }

  #saidAll(group: ReadonlyArray<Merged.Write>) {
    return saidAll((said) => this.say(said), group)
  }

  /** One statement is all or nothing by itself. */
  #committed(only: ReadonlyArray<Merged.Write>) {
    const elsewhere = this.#lent.isTaken() ? undefined : this.#lent.commit(only)
    return elsewhere ?? Effect.suspend(() => this.guarded(this.#saidAll(only)))
  }

  #committedAmong(member: Member, groups: ReadonlyArray<ReadonlyArray<Merged.Write>>) {
    if (groups.length === 0) member.leave()
    return Effect.as(groups.length === 0 ? Effect.void : member.commit(groups), undefined)
  }

  #withAnswer(group: ReadonlyArray<Merged.Write>, said: Merged.Said) {
    return Effect.matchEffect(this.say(Merged.writes(group, said)), {
      onFailure: (error) => failed(group, error),
      onSuccess: ({ rows: [row] }) => Effect.succeed(Merged.answerOf(row, 0, said.statement))
    })
  }

  override execute(
    statement: string,
    parameters: ReadonlyArray<unknown>
  ): Effect.Effect<Rows, SqlError> {
    return Effect.withFiber((fiber) => {
      const expected = fiber.getRef(MayWait)
      if (expected === undefined) return this.#control(statement, parameters)
      return this.rows({ statement, parameters }, fiber.getRef(Gathered), expected)
    })
  }

  /** The rows of a write that is said later, with what it waits for; undefined where it must be said now. */
  #later(said: Merged.Said, gathering: Gathering | undefined, expected: Expected) {
    const { parameters, statement } = said
    // A lock that is held, or is taken with others.
    if (isLock(statement) && gathering !== undefined) return undefined
    if (this.place.known(said) !== undefined) return [{}]
    const rows = expected === "any" ? undefined : expected
    // It cannot stand inside another statement, which would ask it for its rows.
    if (rows !== undefined && /^\s*with\b/iu.test(statement)) return undefined
    if (this.#waiting.length >= maxWaiting) return undefined
    this.#wait({ statement, parameters, rows })
    return Array.from({ length: rows ?? 1 }, () => ({}))
  }

  #wait(waiting: Merged.Write) {
    if (!isControl(waiting)) this.readAgain.forget()
    this.#waiting = [...this.#waiting, waiting]
  }

  /** What opens, and what takes back, needs no round trip of its own while nothing was sent. */
  #control(statement: string, parameters: ReadonlyArray<unknown>): Effect.Effect<Rows, SqlError> {
    if (statement === "BEGIN") return Effect.succeed([])
    if (savepointOf(statement) !== undefined || releaseOf(statement) !== undefined) {
      return Effect.as(
        Effect.sync(() => this.#marked(statement, parameters)),
        []
      )
    }
    if (statement === "ROLLBACK") {
      this.#waiting = []
      this.#member?.leave()
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

  /** What was opened and is closed before anything of it was sent needs neither. */
  #marked(statement: string, parameters: ReadonlyArray<unknown>) {
    const name = releaseOf(statement)
    const at = this.#waiting.findLastIndex((each) => savepointOf(each.statement) === name)
    if (name === undefined || at === -1) this.#wait({ statement, parameters, rows: undefined })
    else this.#waiting = this.#waiting.toSpliced(at, 1)
  }

  override executeRaw(
    statement: string,
    parameters: ReadonlyArray<unknown>
  ): Effect.Effect<PgConnection.Result | undefined, SqlError> {
    if (statement !== "COMMIT") return this.query(statement, parameters)
    if (!this.#hasBegun) {
      const groups = gatheredOf(this.#waiting.filter((each) => !isControl(each)))
      if (this.#member !== undefined) return this.#committedAmong(this.#member, groups)
      const [only] = groups
      if (only === undefined) return Effect.succeed(undefined)
      if (groups.length === 1) return this.#committed(only)
    }
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
      this.#member === undefined && this.#hasBegun && this.#waiting.length === 0
        ? Effect.void
        : this.query("select 1", [])
    )
  }
}
