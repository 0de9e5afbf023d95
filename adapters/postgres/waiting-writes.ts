/**
 * Writes of a transaction that wait for its next answer: which of them stand in one statement, and what becomes of one that
 * does not find its rows.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Predicate } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as Merged from "./merged.ts"

/** A write that waited did not find its row. */
export class MissingRow extends Error {
  override readonly message = "The row to write to is not there"
}

/** A commit that the server answered with a rollback. */
export const rolledBack = () =>
  new SqlError({
    reason: new UnknownError({
      cause: new Error("The transaction was aborted before its commit"),
      message: "The transaction was aborted before its commit",
      operation: "commit"
    })
  })

const divisionByZero = "22012"

const codeOf = ({ reason }: SqlError): unknown =>
  Predicate.hasProperty(reason.cause, "code") ? reason.cause.code : undefined

/** Writes that wait, in as few statements as keep their order. */
export const gatheredOf = (
  waiting: ReadonlyArray<Merged.Write>
): ReadonlyArray<ReadonlyArray<Merged.Write>> => {
  const groups: Array<ReadonlyArray<Merged.Write>> = []
  for (const write of waiting) {
    const last = groups.at(-1) ?? []
    const texts = last.map(({ statement }) => statement)
    if (last.length > 0 && Merged.standsBeside(write.statement, texts)) {
      groups[groups.length - 1] = [...last, write]
    } else {
      groups.push([write])
    }
  }
  return groups
}

/** The last write that answers takes those with it that wait before it. */
export const withLast = (
  group: ReadonlyArray<Merged.Write> | undefined,
  { statement }: Merged.Said
): boolean =>
  group !== undefined &&
  /\breturning\b/iu.test(statement) &&
  Merged.isKnown(statement) &&
  Merged.standsBeside(
    statement,
    group.map((write) => write.statement)
  )

const mustFindRows = (writes: ReadonlyArray<Merged.Write>): boolean =>
  writes.some(({ rows }) => rows !== undefined)

export const failed = (
  writes: ReadonlyArray<Merged.Write>,
  error: SqlError
): Effect.Effect<never, SqlError> =>
  mustFindRows(writes) && codeOf(error) === divisionByZero
    ? Effect.die(new MissingRow())
    : Effect.fail(error)

/** Writes that stand in one statement. */
export const saidAll = (
  say: (said: Merged.Said) => Effect.Effect<PgConnection.Result, SqlError>,
  group: ReadonlyArray<Merged.Write>
): Effect.Effect<PgConnection.Result, SqlError> => {
  const [first] = group
  const said =
    group.length === 1 && first !== undefined ? Merged.checked(first) : Merged.writes(group)
  return Effect.catch(say(said), (error) => failed(group, error))
}
