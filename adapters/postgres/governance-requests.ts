/**
 * The store of governance requests on SQL. Who moves one holds its row's lock; what was asked for is never
 * named in a write again, and what has ended stays so.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { GovernanceRequest } from "../../core/governance/request.ts"
import { GovernanceRequests } from "../../core/governance/request-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly action: GovernanceRequest["action"]
  readonly payload: GovernanceRequest["payload"]
  readonly payload_hash: string
  readonly summary: string
  readonly requested_by: string
  readonly status: GovernanceRequest["status"]
  readonly created_at: Date
  readonly expires_at: Date
}

const read = (row: Row): GovernanceRequest => ({
  id: row.id,
  accountId: row.account_id,
  action: row.action,
  payload: row.payload,
  payloadHash: row.payload_hash,
  summary: row.summary,
  requestedBy: row.requested_by,
  status: row.status,
  createdAt: Column.instant(row.created_at),
  expiresAt: Column.instant(row.expires_at)
})

export const layer = Layer.effect(
  GovernanceRequests,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    store: (request) =>
      Answer.done(sql`
        insert into governance_request (id, account_id, action, payload, payload_hash, summary,
          requested_by, status, created_at, expires_at)
        values (${request.id}, ${request.accountId}, ${request.action},
          ${Column.json(request.payload)}, ${request.payloadHash}, ${request.summary},
          ${request.requestedBy}, ${request.status}, ${Column.date(request.createdAt)},
          ${Column.date(request.expiresAt)})`),

    lock: (accountId, requestId) =>
      Answer.first(
        sql<Row>`select * from governance_request
          where account_id = ${accountId} and id = ${requestId} for no key update`,
        read
      ),

    move: (request) =>
      Answer.written(sql`
        update governance_request set status = ${request.status}
        where account_id = ${request.accountId} and id = ${request.id}
          and status in ('pending', 'scheduled')
        returning id`),

    pendingBy: (accountId, keyIds) =>
      Answer.all(
        sql<{ id: string }>`select id from governance_request
          where account_id = ${accountId} and status = 'pending'
            and requested_by = any(${keyIds}::text[])
          order by created_at, id`,
        ({ id }) => id
      ),

    open: (accountId, now, request) => {
      const conditions = [
        sql`account_id = ${accountId}`,
        sql`status in ('pending', 'scheduled')`,
        sql`(status = 'scheduled' or expires_at > ${Column.date(now)})`
      ]
      return Paging.page(
        sql<Row>`select * from governance_request ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    }
  }))
)
