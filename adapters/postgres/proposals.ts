/**
 * The store of proposals on SQL. Who moves one holds its row's lock, and the write itself is guarded: a
 * state moves only to one that may follow it, and no statement names the terms again.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { changing, leadingTo, type Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { gathered, ownedBy } from "./gathered.ts"
import * as Narrow from "./narrow.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import {
  bool,
  integer,
  json,
  table,
  text,
  texts,
  timestamp,
  together,
  units,
  uuid
} from "./table.ts"

const proposalTable = table<Proposal>("proposal", {
  id: uuid,
  accountId: uuid,
  kind: text,
  status: text,
  statusReason: text,
  terms: json(),
  intentHash: text,
  policyRevision: integer,
  summary: text,
  amountMicro: units,
  recipientId: uuid,
  proposedBy: text,
  call: together("call", { operation: text, idempotencyKey: text }),
  confirmedBy: text,
  txHashes: texts,
  recovered: bool,
  outcome: text,
  result: json(),
  stopAskedAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
  confirmedAt: timestamp,
  takesPasskey: bool,
  signedBy: uuid,
  expiresAt: timestamp
})

/** What a move writes, and by what its row is found; the terms stay out of it. */
const changesOf = (moved: ReadonlyArray<Proposal>) =>
  proposalTable.records(
    moved.map((noun) => ({ noun })),
    ["accountId", "id", ...changing]
  )

/** By their ids before all: found by the states that may lead there, every proposal that waits anywhere would be read. */
const moving =
  (sql: SqlClient.SqlClient): Proposals["Service"]["move"] =>
  (moved) =>
    Effect.forEach(
      Map.groupBy(moved, ({ status }) => status),
      ([status, all]) =>
        Answer.writtenAll(
          all.length,
          sql`
            update proposal set ${proposalTable.setAll(changing)}
            from ${changesOf(all)} as written
            where proposal.id = any(${Column.soughtUuids(all.map(({ id }) => id))}::uuid[])
              and proposal.account_id = written.account_id and proposal.id = written.id
              and proposal.status = any(${leadingTo(status)}::text[])
              and (proposal.signed_by is null or proposal.signed_by = written.signed_by)
            returning 1`
        ),
      { discard: true }
    )

export const layer = Layer.effect(
  Proposals,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const proposals = Rows.rows(sql, proposalTable)
    const waiting = sql`status in ('pending_confirm', 'requires_action')`
    const byId = gathered<Proposal>(
      sql,
      ({ id }) => id,
      (ids) => proposals.all(sql`id ${OneOf.uuids(sql, ids)}`)
    )
    return {
      propose: (proposal) => proposals.insert(proposal),

      find: (accountId, id) => ownedBy(accountId, byId(id)),

      lock: (id) => proposals.first({ id }, Rows.forUpdate),

      lockAll: (ids) => proposals.all(sql`id = any(${ids}::uuid[]) order by id`, Rows.forUpdate),

      list: (accountId, { maxMicro, minMicro, ...equal }, request) => {
        if (minMicro === undefined && maxMicro === undefined) {
          return proposals.page({ accountId }, request, equal)
        }
        const equals = Object.entries(equal).filter(([, value]) => value !== undefined)
        const same = [proposalTable.equals({ accountId, ...Object.fromEntries(equals) })]
        return Narrow.byAmount(sql, { table: proposalTable }, same, { minMicro, maxMicro }, request)
      },

      ofTransactions: (accountId, txHashes) =>
        proposals.all(
          sql`account_id = ${accountId} and tx_hashes <> '{}' and tx_hashes && ${txHashes}::text[]`,
          sql` order by created_at, id`
        ),

      move: moving(sql),

      overdue: (now, limit) =>
        proposals.pick(
          "id",
          sql`${waiting} and expires_at <= ${Column.date(now)}
            order by expires_at, id limit ${limit} ${Rows.forUpdateIfFree}`
        ),

      // By what waits, which is bounded, and not by all there ever was of the recipient.
      waitingOn: (accountId, recipientId) =>
        proposals.pick(
          "id",
          sql`account_id = ${accountId} and recipient_id || '' = ${recipientId} and ${waiting}
            order by created_at, id`
        ),

      // The expression is that of the index.
      waitingToRefund: (accountId, sourceIds) =>
        proposals.pick(
          "id",
          sql`account_id = ${accountId}
            and case when kind = 'refund'
              then coalesce(terms->>'depositId', terms->>'paymentRequestId') end = any(${sourceIds}::text[])
            and kind = 'refund' and ${waiting}
            order by created_at, id`
        ),

      countWaiting: (accountId, now, max) =>
        Answer.only(
          sql<{ readonly count: number }>`select count(*)::integer as count from (
            select from proposal
            where account_id = ${accountId} and ${waiting} and expires_at > ${Column.date(now)}
            limit ${max}
          ) waiting`,
          ({ count }) => count
        ),

      waitingBy: (accountId, keyIds) =>
        proposals.pick(
          "id",
          sql`account_id = ${accountId} and ${waiting}
            and (proposed_by = any(${keyIds}::text[]) or confirmed_by = any(${keyIds}::text[]))
            order by created_at, id`
        )
    }
  })
)
