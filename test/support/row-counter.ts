/** Counts the rows that statements write: by triggers of the database, so that nothing escapes. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Counts from here on what is written to a table. */
export const counting = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists rows_written (
    table_name text not null, rows integer not null, at timestamptz not null
  )`
  yield* sql`create or replace function note_rows() returns trigger language plpgsql as $$
    begin
      insert into rows_written
      select tg_table_name, count(*), transaction_timestamp() from written having count(*) > 0;
      return null;
    end
  $$`
  for (const event of ["insert", "update", "delete"]) {
    const rows = event === "delete" ? "old" : "new"
    yield* sql`create trigger ${sql(`note_${event}`)} after ${sql.literal(event)} on ${sql(table)}
      referencing ${sql.literal(rows)} table as written for each statement execute function note_rows()`
  }
})

/** The most rows that a statement, and a transaction, has written since it was last asked. */
export const maxWritten = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly statement: number; readonly transaction: number }>`
    with written as (delete from rows_written returning rows, at),
    by_transaction as (select sum(rows)::integer as rows from written group by at)
    select coalesce((select max(rows) from written), 0) as statement,
      coalesce((select max(rows) from by_transaction), 0) as transaction`
  return row ?? { statement: 0, transaction: 0 }
})
