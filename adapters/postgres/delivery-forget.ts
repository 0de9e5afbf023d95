/**
 * Deliveries past their age are deleted with their attempts, the oldest first, so many rows at a time; those that failed
 * stay, as dead letters. No attempt is left behind: they are looked up once the deliveries are locked, and nobody writes to
 * them any more.
 */
import { type DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { joined } from "./joined.ts"

interface Oldest {
  readonly ids: ReadonlyArray<string>
  readonly are_all: boolean
}

/**
 * How many fit is known from the number of attempts of each before one row is deleted; one is always taken. Who
 * writes to a delivery at this moment is not waited for: it goes next time.
 */
const lockOldest = (sql: SqlClient, madeBefore: DateTime.Utc, max: number) =>
  Answer.only(
    sql<Oldest>`
      with oldest as (
        select id, created_at, attempt_count from delivery
        where status in ('delivered', 'skipped', 'gone')
          and created_at < ${Column.date(madeBefore)}
        order by created_at, id limit ${max} for update skip locked
      ),
      counted as (
        select id, sum(attempt_count + 1) over (order by created_at, id) as rows_so_far,
          row_number() over (order by created_at, id) as place
        from oldest
      ),
      fitting as (select id from counted where rows_so_far <= ${max} or place = 1)
      select array(select id::uuid from fitting) as ids,
        (select count(*) from fitting) = (select count(*) from oldest) as are_all`,
    (oldest) => oldest
  )

const deleteWhole = (sql: SqlClient, ids: ReadonlyArray<string>) =>
  Answer.only(
    sql<{ readonly rows: number }>`
      with attempts as (
        delete from delivery_attempt where delivery_id = any(${ids}::uuid[]) returning 1
      ),
      deliveries as (
        delete from delivery where id = any(${ids}::uuid[]) returning 1
      )
      select ((select count(*) from deliveries) + (select count(*) from attempts))::integer as rows`,
    ({ rows }) => rows
  )

export const forgetting = (sql: SqlClient) => (madeBefore: DateTime.Utc, max: number) =>
  joined(
    sql,
    Effect.gen(function* () {
      const { are_all, ids } = yield* lockOldest(sql, madeBefore, max)
      const rows = yield* deleteWhole(sql, ids)
      return are_all ? rows : max
    })
  )
