/**
 * The store of transfers on SQL. A transfer is one row by (chain, transaction, log), whoever sees it and
 * how often; only one that was reorganised away may come again, into the same row.
 */
import { Effect, Layer, Struct } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type * as Page from "../../core/operation/page.ts"
import { assignable, reincluded, type Transfer } from "../../core/payments/transfer.ts"
import { type DepositFilter, Transfers } from "../../core/payments/transfer-store.ts"
import type { Customer } from "../../core/wallets/wallet.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { vaultsOf } from "./customer-vaults.ts"
import * as Defect from "./defect.ts"
import * as Narrow from "./narrow.ts"
import * as OneOf from "./one-of.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import { bigint, integer, type Row, table, terse, text, texts, timestamp, uuid } from "./table.ts"
import * as Terse from "./terse.ts"

const transferTable = table<Transfer>("transfer", {
  id: uuid,
  accountId: uuid,
  vaultId: uuid,
  chainId: text,
  txHash: terse,
  logIndex: integer,
  blockNumber: integer,
  blockHash: terse,
  blockTime: timestamp,
  payerAddress: terse,
  amountMicro: bigint,
  state: text,
  seenAt: timestamp,
  finalAt: timestamp,
  requestId: uuid,
  method: text,
  settlementIssue: text,
  candidatePids: texts,
  resolution: text
})

type Deposit = Transfer & Page.Position

const readDeposit = (row: Row): Deposit => {
  const deposit = transferTable.read(row)
  return { ...deposit, createdAt: deposit.seenAt }
}

/** As `Narrow` asks for it. */
const deposits = {
  table: { name: transferTable.name, soughtId: transferTable.soughtId, read: readDeposit },
  order: Paging.lastSeen
}

const amountsOf = (sql: SqlClient.SqlClient, { maxMicro, minMicro }: DepositFilter) =>
  Paging.between(sql, sql`amount_micro`, minMicro, maxMicro)

/** What makes a transfer of the account a deposit, and one that is asked for; but for its amount. */
const depositConditions = (
  sql: SqlClient.SqlClient,
  accountId: string,
  { issues, onlyFor, txHashes, vaultId }: DepositFilter
) => [
  sql`account_id = ${accountId}`,
  sql`(request_id is null or resolution is not null)`,
  sql`state <> 'reorged'`,
  ...(onlyFor === undefined
    ? []
    : [sql`candidate_pids = ${[onlyFor]}::text[] and cardinality(candidate_pids) = 1`]),
  ...(issues === undefined ? [] : [sql.in("settlement_issue", issues)]),
  ...(vaultId === undefined ? [] : [sql`vault_id = ${Column.soughtUuid(vaultId)}`]),
  ...(txHashes === undefined
    ? []
    : [sql.or(txHashes.map((txHash) => sql`tx_hash = ${Terse.encode(txHash)}`))])
]

/** What is meant for one request or came by one transaction is found by that, and is few. */
const isFew = ({ onlyFor, txHashes }: DepositFilter) =>
  onlyFor !== undefined || txHashes !== undefined

/** The open and the resolved, as indexes have the order of each alone; or what is asked for of both. */
const kindsOf = (
  sql: SqlClient.SqlClient,
  conditions: ReadonlyArray<Fragment>,
  filter: DepositFilter
): ReadonlyArray<ReadonlyArray<Fragment>> => {
  const open = [...conditions, sql`resolution is null`]
  const resolved = [...conditions, sql`resolution is not null`]
  if (filter.status !== undefined) return [filter.status === "open" ? open : resolved]
  return isFew(filter) ? [conditions] : [open, resolved]
}

/** A page of the deposits that meet conditions. */
const pageOf = (
  sql: SqlClient.SqlClient,
  conditions: ReadonlyArray<Fragment>,
  filter: DepositFilter,
  request: Page.Request
) => {
  const kinds = kindsOf(sql, [...conditions, ...amountsOf(sql, filter)], filter)
  const [only, ...others] = kinds
  return only === undefined || others.length > 0
    ? Paging.ofEach(sql, sql`transfer`, kinds, request, Paging.lastSeen)
    : sql`select * from transfer ${Paging.tail(sql, only, request, Paging.lastSeen)}`
}

/** A page of each vault of a customer, so that the others' deposits cost nothing. */
const ofCustomer = (
  sql: SqlClient.SqlClient,
  accountId: string,
  customer: Customer,
  filter: DepositFilter,
  request: Page.Request
) => {
  const ofVault = [...depositConditions(sql, accountId, filter), sql`vault_id = wallet.id`]
  return sql`select deposit.* from ${vaultsOf(sql, accountId, customer)} wallet
    cross join lateral (${pageOf(sql, ofVault, filter, request)}) deposit
    order by deposit.seen_at desc, deposit.id desc limit ${request.limit + 1}`
}

const page = (
  sql: SqlClient.SqlClient,
  accountId: string,
  filter: DepositFilter,
  request: Page.Request
): Effect.Effect<Page.Page<Deposit>> => {
  const { customer, maxMicro, minMicro, vaultId } = filter
  const conditions = depositConditions(sql, accountId, filter)
  const isOfAmount = minMicro !== undefined || maxMicro !== undefined
  // Of an amount few may be, which the order of all finds last; those of a vault are looked through.
  if (isOfAmount && customer === undefined && vaultId === undefined && !isFew(filter)) {
    const kinds = kindsOf(sql, conditions, filter)
    return Narrow.byAmount(sql, deposits, conditions, { minMicro, maxMicro }, request, kinds)
  }
  const rows =
    customer === undefined
      ? pageOf(sql, conditions, filter, request)
      : ofCustomer(sql, accountId, customer, filter, request)
  return Paging.page(sql<Row>`${rows}`, request, readDeposit)
}

export const layer = Layer.effect(
  Transfers,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const transfers = Rows.rows(sql, transferTable)
    const inOrder = sql` order by seen_at, id`

    /** One that is there already: it may come again after its block was dropped. */
    const again = Effect.fnUntraced(function* (log: Partial<Transfer>, transfer: Transfer) {
      const known = yield* transfers.first(log, Rows.forUpdate)
      if (known === undefined) return yield* Effect.die(new Error("The transfer is not there"))
      if (known.state !== "reorged") return { outcome: "known" as const, id: known.id }
      yield* transfers.update({ id: known.id }, reincluded(known, transfer))
      return { outcome: "reincluded" as const, id: known.id }
    })
    return {
      record: Effect.fnUntraced(function* (transfer) {
        if (yield* transfers.insertNew(transfer, sql`on constraint transfer_once`)) {
          return { outcome: "recorded", id: transfer.id }
        }
        const { chainId, logIndex, txHash } = transfer
        return yield* Defect.orDie(
          sql.withTransaction(again({ chainId, txHash, logIndex }, transfer))
        )
      }),

      find: (accountId, id) => transfers.first({ accountId, id }),

      lock: (accountId, id) => transfers.first({ accountId, id }, Rows.forUpdate),

      ofRequest: (requestId) => transfers.all({ requestId }, inOrder),

      ofRequests: (requestIds) =>
        transfers.all(sql`request_id ${OneOf.uuids(sql, requestIds)}`, inOrder),

      ofTransaction: (chainId, txHash) =>
        transfers.all({ chainId, txHash }, sql` order by log_index`),

      ofTransactions: (chainId, txHashes) =>
        transfers.all(
          sql`chain_id = ${chainId} and tx_hash = any(${txHashes.map(Terse.encode)}::bytea[])`,
          inOrder
        ),

      firstRepeats: ({ max, pid, vaultId }) =>
        transfers.pick(
          "id",
          sql`vault_id = ${Column.soughtUuid(vaultId)} and settlement_issue = 'duplicate' and state = 'final'
            and candidate_pids = ${[pid]}::text[]
            order by final_at, id limit ${max}`
        ),

      assign: (id, assignment) => transfers.update({ id }, Struct.pick(assignment, assignable)),

      markReorged: (chainId, aboveBlock, max) => {
        // Those of each state have an index of their own, in the order of blocks.
        const standing = (isOf: Fragment) =>
          sql`select * from (select id, block_number from transfer
            where chain_id = ${chainId} and block_number > ${aboveBlock} and ${isOf}
            order by block_number desc limit ${max} for no key update) highest`
        return Answer.all(
          sql<Row>`update transfer set state = 'reorged' where id = any(array(
              select id from (
                ${standing(sql`state = 'seen'`)} union all ${standing(sql`state = 'final'`)}
              ) standing order by block_number desc limit ${max}
            )) returning *`,
          transferTable.read
        )
      },

      finalise: (chainId, throughBlock, at, max) =>
        Answer.all(
          sql<Row>`update transfer set state = 'final', final_at = ${Column.date(at)}
            where id = any(array(
              select id from transfer
              where chain_id = ${chainId} and block_number <= ${throughBlock} and state = 'seen'
              order by block_number limit ${max} for no key update skip locked
            )) returning *`,
          transferTable.read
        ),

      deposits: (accountId, filter, request) => page(sql, accountId, filter, request)
    }
  })
)
