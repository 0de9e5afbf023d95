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

interface Row {
  readonly id: string
  readonly account_id: string
  readonly vault_id: string
  readonly chain_id: string
  readonly tx_hash: string
  readonly log_index: number
  readonly block_number: bigint
  readonly block_hash: string
  readonly block_time: Date
  readonly payer_address: string
  readonly amount_micro: bigint
  readonly state: Transfer["state"]
  readonly seen_at: Date
  readonly final_at: Date | null
  readonly request_id: string | null
  readonly method: Transfer["method"]
  readonly settlement_issue: Transfer["settlementIssue"]
  readonly candidate_pids: ReadonlyArray<string>
  readonly resolution: Transfer["resolution"]
}

const read = (row: Row): Transfer => ({
  id: row.id,
  accountId: row.account_id,
  vaultId: row.vault_id,
  chainId: row.chain_id,
  txHash: row.tx_hash,
  logIndex: row.log_index,
  blockNumber: Number(row.block_number),
  blockHash: row.block_hash,
  blockTime: Column.instant(row.block_time),
  payerAddress: row.payer_address,
  amountMicro: row.amount_micro,
  state: row.state,
  seenAt: Column.instant(row.seen_at),
  finalAt: Column.instantOrNull(row.final_at),
  requestId: row.request_id,
  method: row.method,
  settlementIssue: row.settlement_issue,
  candidatePids: row.candidate_pids,
  resolution: row.resolution
})

/** Gives no row back when the transfer stands already. */
const recording = (sql: SqlClient.SqlClient, transfer: Transfer) => {
  // A transaction that runs again in another block may pay another vault: what it counted for is void then.
  const kept = (column: string) =>
    sql`${sql(column)} = case when was.vault_id = excluded.vault_id
      then ${sql(`was.${column}`)} else ${sql(`excluded.${column}`)} end`
  return sql<{ id: string; recorded: boolean }>`
    insert into transfer as was (id, account_id, vault_id, chain_id, tx_hash, log_index,
      block_number, block_hash, block_time, payer_address, amount_micro, state, seen_at, final_at,
      request_id, method, settlement_issue, candidate_pids, resolution)
    values (${transfer.id}, ${transfer.accountId}, ${transfer.vaultId}, ${transfer.chainId},
      ${transfer.txHash}, ${transfer.logIndex}, ${transfer.blockNumber}, ${transfer.blockHash},
      ${Column.date(transfer.blockTime)}, ${transfer.payerAddress}, ${transfer.amountMicro},
      ${transfer.state}, ${Column.date(transfer.seenAt)}, ${Column.dateOrNull(transfer.finalAt)},
      ${transfer.requestId}, ${transfer.method}, ${transfer.settlementIssue},
      ${transfer.candidatePids}, ${transfer.resolution})
    on conflict on constraint transfer_once do update set
      account_id = excluded.account_id, vault_id = excluded.vault_id,
      block_number = excluded.block_number, block_hash = excluded.block_hash,
      block_time = excluded.block_time, payer_address = excluded.payer_address,
      amount_micro = excluded.amount_micro, state = excluded.state,
      final_at = excluded.final_at, ${kept("request_id")}, ${kept("method")},
      ${kept("settlement_issue")}, ${kept("candidate_pids")}, ${kept("resolution")}
    where was.state = 'reorged'
    returning id, xmax = 0 as recorded`
}

const byLog = (sql: SqlClient.SqlClient, { chainId, logIndex, txHash }: Transfer) =>
  sql<{ id: string }>`select id from transfer
    where chain_id = ${chainId} and tx_hash = ${txHash} and log_index = ${logIndex}`

const depositConditions = (sql: SqlClient.SqlClient, { status, vaultId }: DepositFilter) => [
  ...(vaultId === undefined ? [] : [sql`vault_id = ${vaultId}`]),
  ...(status === undefined
    ? []
    : [status === "open" ? sql`resolution is null` : sql`resolution is not null`])
]

export const layer = Layer.effect(
  Transfers,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    record: Effect.fnUntraced(function* (transfer) {
      const written = yield* Answer.first(recording(sql, transfer), (row) => row)
      if (written !== undefined) {
        return { outcome: written.recorded ? "recorded" : "revived", id: written.id }
      }
      return { outcome: "known", id: yield* Answer.only(byLog(sql, transfer), ({ id }) => id) }
    }),

    find: (accountId, transferId) =>
      Answer.first(
        sql<Row>`select * from transfer where account_id = ${accountId} and id = ${transferId}`,
        read
      ),

    lock: (accountId, transferId) =>
      Answer.first(
        sql<Row>`select * from transfer
          where account_id = ${accountId} and id = ${transferId} for no key update`,
        read
      ),

    ofRequest: (requestId) =>
      Answer.all(
        sql<Row>`select * from transfer where request_id = ${requestId} order by seen_at, id`,
        read
      ),

    ofRequests: (requestIds) =>
      Answer.all(
        sql<Row>`select * from transfer
          where request_id = any(${requestIds}::text[]) order by seen_at, id`,
        read
      ),

    ofTransaction: (chainId, txHash) =>
      Answer.all(
        sql<Row>`select * from transfer
          where chain_id = ${chainId} and tx_hash = ${txHash} order by log_index`,
        read
      ),

    firstRepeats: ({ max, pid, vaultId }) =>
      Answer.all(
        sql<{ id: string }>`select id from transfer
          where vault_id = ${vaultId} and settlement_issue = 'duplicate' and state = 'final'
            and candidate_pids = ${[pid]}::text[]
          order by final_at, id limit ${max}`,
        ({ id }) => id
      ),

    assign: (transferId, assignment) =>
      Answer.written(sql`
        update transfer set request_id = ${assignment.requestId}, method = ${assignment.method},
          settlement_issue = ${assignment.settlementIssue},
          candidate_pids = ${assignment.candidatePids}, resolution = ${assignment.resolution}
        where id = ${transferId} returning id`),

    drop: (chainId, aboveBlock) =>
      Answer.all(
        sql<Row>`update transfer set state = 'reorged'
          where chain_id = ${chainId} and block_number > ${aboveBlock} and state <> 'reorged'
          returning *`,
        read
      ),

    finalise: (chainId, throughBlock, at) =>
      Answer.all(
        sql<Row>`update transfer set state = 'final', final_at = ${Column.date(at)}
          where chain_id = ${chainId} and block_number <= ${throughBlock} and state = 'seen'
          returning *`,
        read
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
        (row) => ({ ...read(row), createdAt: Column.instant(row.seen_at) })
      )
    }
  }))
)
