/**
 * The ledgers of an account: its caps, those of its keys, and its sales. Whoever judges by their sums holds the account, so
 * that its limits stand until the end; whoever must know that nobody adds to them meanwhile takes them alone.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Answer from "./answer.ts"

/** Many may hold an account; whoever pauses it or changes its tier waits for them. */
export const hold = (sql: SqlClient, accountId: string) =>
  Answer.only(sql`select id from account where id = ${accountId} for share`, () => {})

/** The last lock of all: whoever has it waits for nobody. */
const alone = (sql: SqlClient, accountId: string) =>
  Answer.done(sql`select pg_advisory_xact_lock(${AdvisoryLock.ledgers(sql, accountId)})`)

export const take = (sql: SqlClient, accountId: string) =>
  Effect.andThen(hold(sql, accountId), alone(sql, accountId))
