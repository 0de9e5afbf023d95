/**
 * The store of transfers on SQL. A transfer is one row by (chain, transaction, log), whoever sees it and
 * how often; only one that was reorganised away may come again, into the same row.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Transfer } from "../../core/payments/transfer.ts"
import { type DepositFilter, Transfers } from "../../core/payments/transfer-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import { bigint, integer, type Row, table, text, texts, timestamp } from "./table.ts"

const transferTable = table<Transfer>("transfer", {
  id: text,
  accountId: text,
  vaultId: text,
  chainId: text,
  txHash: text,
  logIndex: integer,
  blockNumber: integer,
  blockHash: text,
  blockTime: timestamp,
  payerAddress: text,
  amountMicro: bigint,
  state: text,
  seenAt: timestamp,
  finalAt: timestamp,
  requestId: text,
  method: text,
  settlementIssue: text,
  candidatePids: texts,
  resolution: text
})

/** Gives no row back when the transfer stands already. */
const recording = (sql: SqlClient.SqlClient, transfer: Transfer) => {
  // A transaction that runs again in another block may pay another vault: what it counted for is void then.
  const kept = (column: string) =>
    sql`${sql(column)} = case when transfer.vault_id = excluded.vault_id
      then ${sql(`transfer.${column}`)} else ${sql(`excluded.${column}`)} end`
  return sql<{ id: string; recorded: boolean }>`
    ${transferTable.insert(transfer)}
    on conflict on constraint transfer_once do update set
      account_id = excluded.account_id, vault_id = excluded.vault_id,
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_time = excluded.block_time, payer_address = excluded.payer_address,
      amount_micro = excluded.amount_micro, state = excluded.state,
      final_at = excluded.final_at, ${kept("request_id")}, ${kept("method")},
      ${kept("settlement_issue")}, ${kept("candidate_pids")}, ${kept("resolution")}
    where transfer.state = 'reorged'
    returning id, xmax = 0 as recorded`
}

const depositConditions = (sql: SqlClient.SqlClient, { status, vaultId }: DepositFilter) => [
  ...(vaultId === undefined ? [] : [sql`vault_id = ${vaultId}`]),
  ...(status === undefined
    ? []
    : [status === "open" ? sql`resolution is null` : sql`resolution is not null`])
]

export const layer = Layer.effect(
  Transfers,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const transfers = Rows.rows(sql, transferTable)
    const inOrder = sql` order by seen_at, id`
    return {
      record: Effect.fnUntraced(function* (transfer) {
        const written = yield* Answer.first(recording(sql, transfer), (row) => row)
        if (written !== undefined) {
          return { outcome: written.recorded ? "recorded" : "revived", id: written.id }
        }
        const { chainId, logIndex, txHash } = transfer
        const known = sql<{ id: string }>`select id from transfer
          where ${transferTable.equals({ chainId, txHash, logIndex })}`
        return { outcome: "known", id: yield* Answer.only(known, ({ id }) => id) }
      }),

      find: (accountId, id) => transfers.first({ accountId, id }),

      lock: (accountId, id) => transfers.first({ accountId, id }, Rows.forUpdate),

      ofRequest: (requestId) => transfers.all({ requestId }, inOrder),

      ofRequests: (requestIds) =>
        transfers.all(sql`request_id = any(${requestIds}::text[])`, inOrder),

      ofTransaction: (chainId, txHash) =>
        transfers.all({ chainId, txHash }, sql` order by log_index`),

      firstRepeats: ({ max, pid, vaultId }) =>
        transfers.pick(
          "id",
          sql`vault_id = ${vaultId} and settlement_issue = 'duplicate' and state = 'final'
            and candidate_pids = ${[pid]}::text[]
            order by final_at, id limit ${max}`
        ),

      assign: (id, { candidatePids, method, requestId, resolution, settlementIssue }) =>
        transfers.update({ id }, { candidatePids, method, requestId, resolution, settlementIssue }),

      drop: (chainId, aboveBlock) =>
        Answer.all(
          sql<Row>`update transfer set state = 'reorged'
            where chain_id = ${chainId} and block_number > ${aboveBlock} and state <> 'reorged'
            returning *`,
          transferTable.read
        ),

      finalise: (chainId, throughBlock, at) =>
        Answer.all(
          sql<Row>`update transfer set state = 'final', final_at = ${Column.date(at)}
            where chain_id = ${chainId} and block_number <= ${throughBlock} and state = 'seen'
            returning *`,
          transferTable.read
        ),

      deposits: (accountId, filter, request) => {
        const conditions = [
          sql`account_id = ${accountId}`,
          sql`(request_id is null or resolution is not null)`,
          sql`state <> 'reorged'`,
          ...depositConditions(sql, filter)
        ]
        return Paging.page(
          sql<Row>`select * from transfer ${Paging.tail(sql, conditions, request, "seen_at")}`,
          request,
          (row) => {
            const deposit = transferTable.read(row)
            return { ...deposit, createdAt: deposit.seenAt }
          }
        )
      }
    }
  })
)
