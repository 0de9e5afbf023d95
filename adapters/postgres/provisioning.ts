/** The store of provisioning jobs on SQL. A job and its items are written in one statement each way. */
import { type DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Item, Job } from "../../core/payments/provisioning-job.ts"
import { Provisioning } from "../../core/payments/provisioning-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { integer, json, table, terse, text, timestamp, uuid } from "./table.ts"

const jobTable = table<Job>("provisioning_job", {
  id: uuid,
  accountId: uuid,
  chainId: text,
  status: text,
  total: integer,
  succeeded: integer,
  failed: integer,
  createdAt: timestamp
})

const itemTable = table<Item>(
  "provisioning_item",
  {
    position: integer,
    externalId: text,
    namespace: text,
    metadata: json(),
    status: text,
    walletId: uuid,
    address: terse,
    error: text
  },
  ["position"]
)

const queuing = (sql: SqlClient.SqlClient, job: Job, items: ReadonlyArray<Item>) => sql`
  with job as (${jobTable.insert(job)})
  ${itemTable.insertAll(items, { job_id: job.id, account_id: job.accountId })}`

const progressing = (sql: SqlClient.SqlClient, job: Job, items: ReadonlyArray<Item>) => sql`
  with job as (
    update provisioning_job set ${jobTable.set(job, ["status", "total", "succeeded", "failed"])}
    where ${jobTable.keyOf(job)}
    returning id
  ),
  finished as (
    update provisioning_item set ${itemTable.setAll(["status", "walletId", "address", "error"])}
    from job, ${itemTable.records(items.map((noun) => ({ noun })))} written
    where provisioning_item.job_id = job.id and provisioning_item.position = written.position
  )
  select id from job`

/** How many fit is known from the size of each before one row is deleted. */
const forgetting = (sql: SqlClient.SqlClient, madeBefore: DateTime.Utc, max: number) => sql<{
  readonly rows: number
}>`
  with oldest as (
    select id, created_at, total from provisioning_job
    where status in ('completed', 'completed_with_errors', 'failed')
      and created_at < ${Column.date(madeBefore)}
    order by created_at, id limit ${max} for update skip locked
  ),
  counted as (
    select id, sum(total + 1) over (order by created_at, id) as rows_so_far,
      row_number() over (order by created_at, id) as place
    from oldest
  ),
  fitting as (select id from counted where rows_so_far <= ${max} or place = 1),
  items as (
    delete from provisioning_item where job_id in (select id from fitting) returning 1
  ),
  jobs as (
    delete from provisioning_job where id in (select id from fitting) returning 1
  )
  select case
    when (select count(*) from fitting) < (select count(*) from oldest) then ${max}::integer
    else ((select count(*) from jobs) + (select count(*) from items))::integer
  end as rows`

export const layer = Layer.effect(
  Provisioning,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const jobs = Rows.rows(sql, jobTable)
    const items = Rows.rows(sql, itemTable)
    return {
      queue: (job, queued) => Answer.done(queuing(sql, job, queued)),

      find: (accountId, id) => jobs.first({ accountId, id }),

      lock: (id) => jobs.first({ id }, Rows.forUpdate),

      items: (jobId, fromPosition, limit) =>
        items.all(sql`job_id = ${Column.soughtUuid(jobId)} and position >= ${fromPosition}
          order by position limit ${limit}`),

      pending: (jobId, limit) =>
        items.all(sql`job_id = ${Column.soughtUuid(jobId)} and status = 'pending'
          order by position limit ${limit}`),

      forget: (madeBefore, max) =>
        Answer.only(forgetting(sql, madeBefore, max), ({ rows }) => rows),

      progress: (job, finished) => Answer.written(progressing(sql, job, finished))
    }
  })
)
