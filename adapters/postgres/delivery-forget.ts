/** Deliveries past their age are deleted with their attempts, the oldest first, so many rows at a time. */
import type { DateTime } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

/**
 * How many fit is known from the number of attempts of each before one row is deleted; one is always taken. Who
 * writes to a delivery at this moment is not waited for: it goes next time.
 */
export const forgetting = (sql: SqlClient) => (madeBefore: DateTime.Utc, max: number) =>
  Answer.only(
    sql<{ readonly rows: number }>`
      with oldest as (
        select id, created_at, attempt_count from delivery
        where status in ('delivered', 'failed', 'skipped', 'gone')
          and created_at < ${Column.date(madeBefore)}
        order by created_at, id limit ${max} for update skip locked
      ),
      counted as (
        select id, sum(attempt_count + 1) over (order by created_at, id) as rows_so_far,
          row_number() over (order by created_at, id) as place
        from oldest
      ),
      fitting as (select id from counted where rows_so_far <= ${max} or place = 1),
      attempts as (
        delete from delivery_attempt where delivery_id in (select id from fitting) returning 1
      ),
      deliveries as (
        delete from delivery where id in (select id from fitting) returning 1
      )
      select case
        when (select count(*) from fitting) < (select count(*) from oldest) then ${max}::integer
        else ((select count(*) from deliveries) + (select count(*) from attempts))::integer
      end as rows`,
    ({ rows }) => rows
  )
