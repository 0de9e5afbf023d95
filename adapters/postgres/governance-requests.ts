/**
 * The store of governance requests on SQL. Who moves one holds its row's lock; what was asked for is never
 * named in a write again, and what has ended stays so.
 */
import { type DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { GovernanceRequests } from "../../core/governance/governance-store.ts"
import type { GovernanceRequest } from "../../core/governance/request.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { json, table, text, timestamp, uuid } from "./table.ts"

const governanceRequest = table<GovernanceRequest>("governance_request", {
  id: uuid,
  accountId: uuid,
  action: text,
  payload: json(),
  payloadHash: text,
  summary: text,
  requestedBy: text,
  status: text,
  createdAt: timestamp,
  expiresAt: timestamp
})

export const layer = Layer.effect(
  GovernanceRequests,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const requests = Rows.rows(sql, governanceRequest)
    const isOpen = (accountId: string, now: DateTime.Utc) => sql`
      account_id = ${accountId} and status in ('pending', 'scheduled')
        and (status = 'scheduled' or expires_at > ${Column.date(now)})`
    return {
      store: (request) => requests.insert(request),
      find: (accountId, id) => requests.first({ accountId, id }),
      lock: (accountId, id) => requests.first({ accountId, id }, Rows.forUpdate),
      move: (request) =>
        requests.save(request, ["status"], sql`status in ('pending', 'scheduled')`),
      pendingBy: (accountId, keyIds) =>
        requests.pick(
          "id",
          sql`account_id = ${accountId} and status = 'pending'
            and requested_by = any(${keyIds}::text[])
            order by created_at, id`
        ),
      // In the order of the index that has all it asks for, so that no row is read.
      countOpen: (accountId, now, max) =>
        Answer.only(
          sql<{ readonly open: number }>`select count(*)::integer as open from (
            select from governance_request where ${isOpen(accountId, now)}
            order by created_at desc, id desc limit ${max}
          ) counted`,
          ({ open }) => open
        ),
      open: (accountId, now, request) => requests.page(isOpen(accountId, now), request)
    }
  })
)
