/** The store of provisioning jobs on SQL. A job and its items are written in one statement each way. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Item, Job } from "../../core/payments/provisioning-job.ts"
import { Provisioning } from "../../core/payments/provisioning-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly chain_id: string
  readonly status: Job["status"]
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly created_at: Date
}

const read = (row: Row): Job => ({
  id: row.id,
  accountId: row.account_id,
  chainId: row.chain_id,
  status: row.status,
  total: row.total,
  succeeded: row.succeeded,
  failed: row.failed,
  createdAt: Column.instant(row.created_at)
})

interface ItemRow {
  readonly position: number
  readonly external_id: string
  readonly namespace: string
  readonly metadata: Item["metadata"]
  readonly status: Item["status"]
  readonly wallet_id: string | null
  readonly address: string | null
  readonly error: string | null
}

const readItem = (row: ItemRow): Item => ({
  position: row.position,
  externalId: row.external_id,
  namespace: row.namespace,
  metadata: row.metadata,
  status: row.status,
  walletId: row.wallet_id,
  address: row.address,
  error: row.error
})

const queuing = (sql: SqlClient.SqlClient, job: Job, items: ReadonlyArray<Item>) => sql`
  with job as (
    insert into provisioning_job (id, account_id, chain_id, status, total, succeeded, failed,
      created_at)
    values (${job.id}, ${job.accountId}, ${job.chainId}, ${job.status}, ${job.total},
      ${job.succeeded}, ${job.failed}, ${Column.date(job.createdAt)})
    returning id, account_id
  )
  insert into provisioning_item (job_id, account_id, position, external_id, namespace, metadata,
    status, wallet_id, address, error)
  select job.id, job.account_id, item.* from job,
    json_to_recordset(${Column.json(items)}::json) as item (
      "position" integer, "externalId" text, "namespace" text, "metadata" json, "status" text,
      "walletId" text, "address" text, "error" text)`

const progressing = (sql: SqlClient.SqlClient, job: Job, items: ReadonlyArray<Item>) => sql`
  with job as (
    update provisioning_job set status = ${job.status}, total = ${job.total},
      succeeded = ${job.succeeded}, failed = ${job.failed}
    where account_id = ${job.accountId} and id = ${job.id}
    returning id
  ),
  finished as (
    update provisioning_item set status = item.status, wallet_id = item."walletId",
      address = item.address, error = item.error
    from job, json_to_recordset(${Column.json(items)}::json) as item (
      "position" integer, "status" text, "walletId" text, "address" text, "error" text)
    where provisioning_item.job_id = job.id and provisioning_item.position = item.position
  )
  select id from job`

export const layer = Layer.effect(
  Provisioning,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    queue: (job, items) => Answer.done(queuing(sql, job, items)),

    find: (accountId, jobId) =>
      Answer.first(
        sql<Row>`select * from provisioning_job where account_id = ${accountId} and id = ${jobId}`,
        read
      ),

    lock: (jobId) =>
      Answer.first(
        sql<Row>`select * from provisioning_job where id = ${jobId} for no key update`,
        read
      ),

    items: (jobId, fromPosition, limit) =>
      Answer.all(
        sql<ItemRow>`select * from provisioning_item
          where job_id = ${jobId} and position >= ${fromPosition}
          order by position limit ${limit}`,
        readItem
      ),

    pending: (jobId, limit) =>
      Answer.all(
        sql<ItemRow>`select * from provisioning_item
          where job_id = ${jobId} and status = 'pending' order by position limit ${limit}`,
        readItem
      ),

    progress: (job, items) => Answer.written(progressing(sql, job, items))
  }))
)
