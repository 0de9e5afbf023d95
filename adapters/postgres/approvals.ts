/**
 * The store of approvals on SQL. Keys give a proposal one approval and a voter one vote on it; a vote may be
 * voided while its approval is pending, and is never turned.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Approval, Vote } from "../../core/cosigners/approval.ts"
import { Approvals } from "../../core/cosigners/cosigner-store.ts"
import * as Column from "./column.ts"
import { gatheredAll } from "./gathered.ts"
import * as OneOf from "./one-of.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import { bool, integer, type Row, table, text, timestamp, uuid } from "./table.ts"

const approvalTable = table<Approval>("cosigner_approval", {
  id: uuid,
  accountId: uuid,
  proposalId: uuid,
  recipientId: uuid,
  status: text,
  required: integer,
  createdAt: timestamp,
  expiresAt: timestamp
})

const voteTable = table<Vote>(
  "cosigner_vote",
  {
    approvalId: uuid,
    voterAccountId: uuid,
    keyId: text,
    isApproval: bool,
    intentHash: text,
    at: timestamp
  },
  ["approvalId", "voterAccountId"]
)

export const layer = Layer.effect(
  Approvals,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const approvals = Rows.rows(sql, approvalTable)
    const votes = Rows.rows(sql, voteTable)
    const votesOf = gatheredAll<Vote>(
      sql,
      ({ approvalId }) => approvalId,
      (ids) => votes.all(sql`approval_id ${OneOf.uuids(sql, ids)}`, sql` order by number`)
    )
    return {
      open: (approval) => approvals.insert(approval),

      find: (id) => approvals.first({ id }),

      ofProposal: (proposalId) => approvals.first({ proposalId }),

      revise: (approval) =>
        approvals.save(approval, ["status", "required"], sql`required <= ${approval.required}`),

      // Of each account that is co-signed for, the newest: its other approvals are not looked at.
      awaiting: (cosignerAccountId, now, request) => {
        const waiting = [
          sql`account_id = owner.owner_account_id and status = 'pending'`,
          sql`expires_at > ${Column.date(now)}`,
          sql`not ${cosignerAccountId}::uuid = any(voter_account_ids)`
        ]
        return Paging.page(
          sql<Row>`
            select newest.* from cosigner_membership owner cross join lateral (
              select * from cosigner_approval ${Paging.tail(sql, waiting, request)}
            ) newest
            where owner.cosigner_account_id = ${cosignerAccountId} and owner.removed_at is null
            order by newest.created_at desc, newest.id desc limit ${request.limit + 1}`,
          request,
          approvalTable.read
        )
      },

      pendingOf: (accountId) =>
        approvals.pick(
          "proposalId",
          sql`account_id = ${accountId} and status = 'pending' and recipient_id is null
            order by created_at, id`
        ),

      vote: (vote) => votes.insertNew(vote, sql`(approval_id, voter_account_id)`),

      votes: votesOf,

      voidVotes: (ownerAccountId, voterAccountId) =>
        Effect.asVoid(
          votes.remove(sql`voter_account_id = ${voterAccountId} and approval_id in (
            select id from cosigner_approval
            where account_id = ${ownerAccountId} and status = 'pending'
          )`)
        )
    }
  })
)
