/**
 * The store of payment requests on SQL. Who changes one holds its row's lock; requests of a vault are
 * always locked oldest first, so that two who need several never wait for each other. What a transfer
 * looks at is bounded, however many requests its vault has.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { PaymentRequest, Product } from "../../core/payments/request.ts"
import { type Filter, type Near, PaymentRequests } from "../../core/payments/request-store.ts"
import { ended, payable, type Status } from "../../core/payments/status.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly pid: string
  readonly account_id: string
  readonly vault_id: string
  readonly chain_id: string
  readonly pay_to_address: string
  readonly amount_micro: bigint
  readonly received_micro: bigint
  readonly status: PaymentRequest["status"]
  readonly settlement_issue: PaymentRequest["settlementIssue"]
  readonly description: string | null
  readonly external_reference: string | null
  readonly metadata: PaymentRequest["metadata"]
  readonly customer_external_id: string | null
  readonly customer_namespace: string | null
  readonly product: Product | null
  readonly checkout_session_id: string | null
  readonly success_url: string | null
  readonly cancel_url: string | null
  readonly expires_at: Date
  readonly created_at: Date
  readonly updated_at: Date
  readonly paid_at: Date | null
  readonly tx_hash: string | null
  readonly method: PaymentRequest["method"]
  readonly payer_address: string | null
}

const read = (row: Row): PaymentRequest => ({
  id: row.id,
  pid: row.pid,
  accountId: row.account_id,
  vaultId: row.vault_id,
  chainId: row.chain_id,
  payToAddress: row.pay_to_address,
  amountMicro: row.amount_micro,
  receivedMicro: row.received_micro,
  status: row.status,
  settlementIssue: row.settlement_issue,
  description: row.description,
  externalReference: row.external_reference,
  metadata: row.metadata,
  customer:
    row.customer_external_id === null || row.customer_namespace === null
      ? null
      : { externalId: row.customer_external_id, namespace: row.customer_namespace },
  product: row.product,
  checkoutSessionId: row.checkout_session_id,
  successUrl: row.success_url,
  cancelUrl: row.cancel_url,
  expiresAt: Column.instant(row.expires_at),
  createdAt: Column.instant(row.created_at),
  updatedAt: Column.instant(row.updated_at),
  paidAt: Column.instantOrNull(row.paid_at),
  txHash: row.tx_hash,
  method: row.method,
  payerAddress: row.payer_address
})

const insertion = (sql: SqlClient.SqlClient, request: PaymentRequest) => sql`
  insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address, amount_micro,
    received_micro, status, settlement_issue, description, external_reference, metadata,
    customer_external_id, customer_namespace, product, checkout_session_id, success_url, cancel_url,
    expires_at, created_at, updated_at, paid_at, tx_hash, method, payer_address)
  values (${request.id}, ${request.pid}, ${request.accountId}, ${request.vaultId},
    ${request.chainId}, ${request.payToAddress}, ${request.amountMicro}, ${request.receivedMicro},
    ${request.status}, ${request.settlementIssue}, ${request.description},
    ${request.externalReference}, ${Column.json(request.metadata)},
    ${request.customer?.externalId ?? null}, ${request.customer?.namespace ?? null},
    ${Column.jsonOrNull(request.product)}, ${request.checkoutSessionId}, ${request.successUrl},
    ${request.cancelUrl}, ${Column.date(request.expiresAt)}, ${Column.date(request.createdAt)},
    ${Column.date(request.updatedAt)}, ${Column.dateOrNull(request.paidAt)}, ${request.txHash},
    ${request.method}, ${request.payerAddress})`

/** What may change about a request; its terms never do. */
const writing = (sql: SqlClient.SqlClient, request: PaymentRequest) => sql`
  update payment_request set
    received_micro = ${request.receivedMicro},
    status = ${request.status},
    settlement_issue = ${request.settlementIssue},
    expires_at = ${Column.date(request.expiresAt)},
    updated_at = ${Column.date(request.updatedAt)},
    paid_at = ${Column.dateOrNull(request.paidAt)},
    tx_hash = ${request.txHash},
    method = ${request.method},
    payer_address = ${request.payerAddress}
  where account_id = ${request.accountId} and id = ${request.id}
  returning id`

const matching = (sql: SqlClient.SqlClient, { status, vaultId }: Filter) => [
  ...(vaultId === undefined ? [] : [sql`vault_id = ${vaultId}`]),
  ...(status === undefined ? [] : [sql`status = ${status}`])
]

/** Each branch reads the end of one index, so that it costs the same at any size of the vault. */
const near = (sql: SqlClient.SqlClient, statuses: ReadonlyArray<Status>, { max, ...of }: Near) => {
  const longestLived = (condition: Fragment) => sql`
    (select id from payment_request
      where vault_id = ${of.vaultId} and payment_request.status = kind.status
        and payment_request.status <> 'paid' and ${condition}
      order by expires_at desc, id desc limit ${max})`
  return sql`
    select * from payment_request
    where id = any(array(
      select nearby.id from unnest(${statuses}::text[]) as kind (status)
      cross join lateral (
        ${longestLived(sql`true`)}
        union all
        ${longestLived(sql`amount_micro = ${of.amountMicro}`)}
        union all
        ${longestLived(sql`received_micro > 0
          and amount_micro - received_micro = ${of.amountMicro}`)}
      ) nearby
    )) and status = any(${statuses}::text[])
    order by created_at, id`
}

export const layer = Layer.effect(
  PaymentRequests,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    open: (request) => Answer.done(insertion(sql, request)),

    find: (accountId, idOrPid) =>
      Answer.first(
        sql<Row>`select * from payment_request
          where (id = ${idOrPid} or pid = ${idOrPid}) and account_id = ${accountId}`,
        read
      ),

    findPublic: (pid) =>
      Answer.first(sql<Row>`select * from payment_request where pid = ${pid}`, read),

    list: (accountId, filter, request) => {
      const conditions = [sql`account_id = ${accountId}`, ...matching(sql, filter)]
      return Paging.page(
        sql<Row>`select * from payment_request ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    },

    // The lock of a writer that leaves the key alone: rows that refer to the request do not wait for it.
    lock: (id) =>
      Answer.first(
        sql<Row>`select * from payment_request where id = ${id} for no key update`,
        read
      ),

    lockFree: (id) =>
      Answer.first(
        sql<Row>`select * from payment_request where id = ${id} for no key update skip locked`,
        read
      ),

    lockPayableNear: (of) =>
      Answer.all(sql<Row>`${near(sql, payable, of)} for no key update`, read),

    endedNear: (of) => Answer.all(sql<Row>`${near(sql, ended, of)}`, read),

    paidLike: ({ amountMicro, payerAddress, since, vaultId }) =>
      Answer.all(
        sql<Row>`select * from payment_request where id in (
            (select id from payment_request
              where vault_id = ${vaultId} and amount_micro = ${amountMicro} and status = 'paid'
                and paid_at >= ${Column.date(since)}
              order by paid_at desc limit 2)
            union
            (select id from payment_request
              where vault_id = ${vaultId} and amount_micro = ${amountMicro} and status = 'paid'
                and payer_address = ${payerAddress}
              order by paid_at desc limit 2)
          ) order by created_at, id`,
        read
      ),

    settle: (request) => Answer.written(writing(sql, request)),

    overdue: (finalTimes, limit) =>
      Answer.all(
        sql<{ id: string }>`select due.id
          from unnest(${finalTimes.map(({ chainId }) => chainId)}::text[],
            ${finalTimes.map(({ finalTime }) => Column.date(finalTime))}::timestamptz[]
          ) as final (chain_id, final_time)
          cross join lateral (
            select id, expires_at from payment_request
            where chain_id = final.chain_id and expires_at < final.final_time
              and status in ('open', 'partially_paid')
            order by expires_at limit ${limit} for no key update skip locked
          ) due
          order by due.expires_at limit ${limit}`,
        ({ id }) => id
      )
  }))
)
