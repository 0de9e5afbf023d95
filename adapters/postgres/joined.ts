/**
 * Statements that belong to one transaction: to the one that runs, or to one of their own. What fails here is a defect,
 * which undoes all of a transaction, so none of it needs a savepoint.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Defect from "./defect.ts"

export const joined = <A, R>(
  sql: SqlClient,
  statements: Effect.Effect<A, never, R>
): Effect.Effect<A, never, R> =>
  Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
    running._tag === "Some" ? statements : Defect.orDie(sql.withTransaction(statements))
  )
