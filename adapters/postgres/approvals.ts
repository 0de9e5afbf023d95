/**
 * The store of approvals on SQL. Keys give a proposal one approval and a voter one vote on it; a vote may be
 * voided while its approval is pending, and is never turned.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Approval, Vote } from "../../core/cosigners/approval.ts"
import { Approvals } from "../../core/cosigners/approval-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly proposal_id: string
  readonly recipient_id: string | null
  readonly status: Approval["status"]
  readonly required: number
  readonly created_at: Date
  readonly expires_at: Date
}

const read = (row: Row): Approval => ({
  id: row.id,
  accountId: row.account_id,
  proposalId: row.proposal_id,
  recipientId: row.recipient_id,
  status: row.status,
  required: row.required,
  createdAt: Column.instant(row.created_at),
  expiresAt: Column.instant(row.expires_at)
})

interface VoteRow {
  readonly approval_id: string
  readonly voter_account_id: string
  readonly key_id: string
  readonly is_approval: boolean
  readonly intent_hash: string
  readonly at: Date
}

const readVote = (row: VoteRow): Vote => ({
  approvalId: row.approval_id,
  voterAccountId: row.voter_account_id,
  keyId: row.key_id,
  isApproval: row.is_approval,
  intentHash: row.intent_hash,
  at: Column.instant(row.at)
})

const voting = (sql: SqlClient.SqlClient) => ({
  vote: (vote: Vote) =>
    Answer.any(sql`
      insert into cosigner_vote (approval_id, voter_account_id, key_id, is_approval, intent_hash, at)
      values (${vote.approvalId}, ${vote.voterAccountId}, ${vote.keyId}, ${vote.isApproval},
        ${vote.intentHash}, ${Column.date(vote.at)})
      on conflict (approval_id, voter_account_id) do nothing
      returning number`),

  votes: (approvalId: string) =>
    Answer.all(
      sql<VoteRow>`select * from cosigner_vote where approval_id = ${approvalId} order by number`,
      readVote
    ),

  voidVotes: (ownerAccountId: string, voterAccountId: string) =>
    Answer.done(sql`
      delete from cosigner_vote
      where voter_account_id = ${voterAccountId} and approval_id in (
        select id from cosigner_approval
        where account_id = ${ownerAccountId} and status = 'pending'
      )`)
})

export const layer = Layer.effect(
  Approvals,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ...voting(sql),

    open: (approval) =>
      Answer.done(sql`
        insert into cosigner_approval (id, account_id, proposal_id, recipient_id, status, required,
          created_at, expires_at)
        values (${approval.id}, ${approval.accountId}, ${approval.proposalId},
          ${approval.recipientId}, ${approval.status}, ${approval.required},
          ${Column.date(approval.createdAt)}, ${Column.date(approval.expiresAt)})`),

    find: (approvalId) =>
      Answer.first(sql<Row>`select * from cosigner_approval where id = ${approvalId}`, read),

    ofProposal: (proposalId) =>
      Answer.first(
        sql<Row>`select * from cosigner_approval where proposal_id = ${proposalId}`,
        read
      ),

    revise: (approval) =>
      Answer.written(sql`
        update cosigner_approval set status = ${approval.status}, required = ${approval.required}
        where account_id = ${approval.accountId} and id = ${approval.id}
          and required <= ${approval.required}
        returning id`),

    awaiting: (cosignerAccountId, now, request) => {
      const conditions = [
        sql`status = 'pending'`,
        sql`expires_at > ${Column.date(now)}`,
        sql`account_id in (
          select owner_account_id from cosigner_membership
          where cosigner_account_id = ${cosignerAccountId} and removed_at is null
        )`,
        sql`not exists (
          select from cosigner_vote
          where approval_id = cosigner_approval.id and voter_account_id = ${cosignerAccountId}
        )`
      ]
      return Paging.page(
        sql<Row>`select * from cosigner_approval ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    },

    pendingOf: (ownerAccountId) =>
      Answer.all(
        sql<{ proposal_id: string }>`select proposal_id from cosigner_approval
          where account_id = ${ownerAccountId} and status = 'pending' and recipient_id is null
          order by created_at, id`,
        (row) => row.proposal_id
      )
  }))
)
