/**
 * Leases of the queues on SQL. Replicas share the database and not a clock, so leases are told by the
 * database's own time: a replica whose clock is ahead takes nothing from another.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Renew } from "../../core/ports/leases.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

/** The time of leases, as a statement writes it, given the time of whoever asks. */
export type Clock = (sql: SqlClient, asked: DateTime.Utc) => Fragment

/** Stable within a statement, so that indexes of lease ends serve. */
export const ofDatabase: Clock = (sql) => sql`statement_timestamp()`

/** The clock of whoever asks, for those who let time pass themselves. */
export const ofCaller: Clock = (sql, asked) => sql`${Column.date(asked)}::timestamptz`

/** By whose clock leases are told. */
export const LeaseClock = Context.Reference<Clock>("bursar/postgres/LeaseClock", {
  defaultValue: () => ofDatabase
})

/** When a lease ends that holds for so long from now on. */
export const endOf = (sql: SqlClient, now: Fragment, leaseMs: number) =>
  sql`${now} + ${leaseMs}::bigint * interval '1 millisecond'`

/** When a row's lease ends, by the clock of whoever asks; null without a lease. */
export const endForCaller = (sql: SqlClient, clock: Clock, now: DateTime.Utc) =>
  sql`lease_ends_at - ${clock(sql, now)} + ${Column.date(now)}::timestamptz`

/**
 * Rows are found by arrays of their keys, for which the planner trusts the index at any size. A row that
 * is locked is passed over: whoever has it is writing its end, or waits for others in a transaction, and a
 * beat that waited for it would hold up all the rows it has locked before.
 */
export const renewing =
  (
    sql: SqlClient,
    clock: Clock,
    { key, table }: { readonly table: string; readonly key: string }
  ): Renew =>
  ({ held, leaseMs, now }): Effect.Effect<ReadonlyArray<string>> => {
    const ids = held.map(({ id }) => id)
    const leases = held.map(({ lease }) => lease)
    return Answer.all(
      sql<{ lease: string }>`
        with current as (
          select ${sql(key)} as id from ${sql(table)}
          where ${sql(key)} = any(${ids}::uuid[]) and lease = any(${leases}::text[])
          for no key update skip locked
        )
        update ${sql(table)} set lease_ends_at = ${endOf(sql, clock(sql, now), leaseMs)}
        where ${sql(key)} = any(array(select id from current)) and lease = any(${leases}::text[])
        returning lease`,
      ({ lease }) => lease
    )
  }
