/**
 * The store of proposals on SQL. Who moves one holds its row's lock, and the write itself is guarded: a
 * state moves only to one that may follow it, and no statement names the terms again.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { mayFollow, type Proposal, Status } from "../../core/proposals/proposal.ts"
import { type Filter, Proposals } from "../../core/proposals/proposal-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly kind: Proposal["kind"]
  readonly status: Status
  readonly sub_status: Proposal["subStatus"]
  readonly status_reason: string | null
  readonly terms: Proposal["terms"]
  readonly intent_hash: string
  readonly policy_revision: number
  readonly summary: string
  readonly recipient_id: string | null
  readonly proposed_by: string
  readonly confirmed_by: string | null
  readonly tx_hashes: ReadonlyArray<string>
  readonly created_at: Date
  readonly updated_at: Date
  readonly confirmed_at: Date | null
  readonly takes_passkey: boolean
  readonly signed_by: string | null
  readonly expires_at: Date
}

const read = (row: Row): Proposal => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  status: row.status,
  subStatus: row.sub_status,
  statusReason: row.status_reason,
  terms: row.terms,
  intentHash: row.intent_hash,
  policyRevision: row.policy_revision,
  summary: row.summary,
  recipientId: row.recipient_id,
  proposedBy: row.proposed_by,
  confirmedBy: row.confirmed_by,
  txHashes: row.tx_hashes,
  createdAt: Column.instant(row.created_at),
  updatedAt: Column.instant(row.updated_at),
  confirmedAt: Column.instantOrNull(row.confirmed_at),
  takesPasskey: row.takes_passkey,
  signedBy: row.signed_by,
  expiresAt: Column.instant(row.expires_at)
})

/** The states that one may be written over, itself included. */
const leadingTo = (status: Status): ReadonlyArray<Status> =>
  Status.literals.filter((from) => from === status || mayFollow(from, status))

const moving = (sql: SqlClient.SqlClient, proposal: Proposal) => sql`
  update proposal set
    status = ${proposal.status},
    sub_status = ${proposal.subStatus},
    status_reason = ${proposal.statusReason},
    policy_revision = ${proposal.policyRevision},
    tx_hashes = ${proposal.txHashes},
    updated_at = ${Column.date(proposal.updatedAt)},
    confirmed_by = ${proposal.confirmedBy},
    confirmed_at = ${Column.dateOrNull(proposal.confirmedAt)},
    takes_passkey = ${proposal.takesPasskey},
    signed_by = ${proposal.signedBy},
    expires_at = ${Column.date(proposal.expiresAt)}
  where account_id = ${proposal.accountId} and id = ${proposal.id}
    and status = any(${leadingTo(proposal.status)}::text[])
    and (signed_by is null or signed_by = ${proposal.signedBy})
  returning id`

const matching = (sql: SqlClient.SqlClient, { kind, status }: Filter) => [
  ...(status === undefined ? [] : [sql`status = ${status}`]),
  ...(kind === undefined ? [] : [sql`kind = ${kind}`])
]

export const layer = Layer.effect(
  Proposals,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    propose: (proposal) =>
      Answer.done(sql`
        insert into proposal (id, account_id, kind, status, sub_status, status_reason, terms,
          intent_hash, policy_revision, summary, recipient_id, proposed_by, confirmed_by, tx_hashes,
          created_at, updated_at, confirmed_at, takes_passkey, signed_by, expires_at)
        values (${proposal.id}, ${proposal.accountId}, ${proposal.kind}, ${proposal.status},
          ${proposal.subStatus}, ${proposal.statusReason}, ${Column.json(proposal.terms)},
          ${proposal.intentHash}, ${proposal.policyRevision}, ${proposal.summary},
          ${proposal.recipientId}, ${proposal.proposedBy}, ${proposal.confirmedBy},
          ${proposal.txHashes}, ${Column.date(proposal.createdAt)}, ${Column.date(proposal.updatedAt)},
          ${Column.dateOrNull(proposal.confirmedAt)}, ${proposal.takesPasskey},
          ${proposal.signedBy}, ${Column.date(proposal.expiresAt)})`),

    find: (accountId, proposalId) =>
      Answer.first(
        sql<Row>`select * from proposal where account_id = ${accountId} and id = ${proposalId}`,
        read
      ),

    // The lock of a writer that leaves the key alone: its reservation and execution do not wait for it.
    lock: (proposalId) =>
      Answer.first(
        sql<Row>`select * from proposal where id = ${proposalId} for no key update`,
        read
      ),

    list: (accountId, filter, request) => {
      const conditions = [sql`account_id = ${accountId}`, ...matching(sql, filter)]
      return Paging.page(
        sql<Row>`select * from proposal ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    },

    move: (proposal) => Answer.written(moving(sql, proposal)),

    overdue: (now, limit) =>
      Answer.all(
        sql<{ id: string }>`select id from proposal
          where status in ('pending_confirm', 'requires_action') and expires_at <= ${Column.date(now)}
          order by expires_at, id limit ${limit} for no key update skip locked`,
        ({ id }) => id
      ),

    waitingOn: (accountId, recipientId) =>
      Answer.all(
        sql<{ id: string }>`select id from proposal
          where account_id = ${accountId} and recipient_id = ${recipientId}
            and status in ('pending_confirm', 'requires_action')
          order by created_at, id`,
        ({ id }) => id
      ),

    // The expression is that of the index.
    waitingToRefund: (accountId, sourceIds) =>
      Answer.all(
        sql<{ id: string }>`select id from proposal
          where account_id = ${accountId}
            and case when kind = 'refund'
              then coalesce(terms->>'depositId', terms->>'paymentRequestId') end = any(${sourceIds}::text[])
            and kind = 'refund' and status in ('pending_confirm', 'requires_action')
          order by created_at, id`,
        ({ id }) => id
      ),

    waitingBy: (accountId, keyIds) =>
      Answer.all(
        sql<{ id: string }>`select id from proposal
          where account_id = ${accountId} and status in ('pending_confirm', 'requires_action')
            and (proposed_by = any(${keyIds}::text[]) or confirmed_by = any(${keyIds}::text[]))
          order by created_at, id`,
        ({ id }) => id
      )
  }))
)
