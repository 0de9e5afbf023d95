/**
 * The store of payment requests on SQL. Who changes one holds its row's lock; requests of a vault are
 * always locked oldest first, so that two who need several never wait for each other. What a transfer
 * looks at is bounded, however many requests its vault has.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type * as Page from "../../core/operation/page.ts"
import { changing, type PaymentRequest } from "../../core/payments/request.ts"
import { type Near, PaymentRequests } from "../../core/payments/request-store.ts"
import { endedStatuses, payableStatuses, Status } from "../../core/payments/status.ts"
import type { Customer } from "../../core/wallets/wallet.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { vaultsOf } from "./customer-vaults.ts"
import * as Narrow from "./narrow.ts"
import * as Paging from "./paging.ts"
import * as Rows from "./rows.ts"
import {
  bigint,
  bool,
  keptAs,
  packedJson,
  type Row,
  table,
  terse,
  text,
  timestamp,
  uuid
} from "./table.ts"
import * as Terse from "./terse.ts"

/** What is told of a request and never looked for; what is null is left out. */
type Said = Pick<
  PaymentRequest,
  | "description"
  | "metadata"
  | "customer"
  | "product"
  | "checkoutSessionId"
  | "successUrl"
  | "cancelUrl"
>

interface Kept extends Omit<PaymentRequest, keyof Said> {
  readonly said: Partial<Said>
}

const silent: Said = {
  description: null,
  metadata: {},
  customer: null,
  product: null,
  checkoutSessionId: null,
  successUrl: null,
  cancelUrl: null
}

const keptOf = ({
  cancelUrl,
  checkoutSessionId,
  customer,
  description,
  metadata,
  product,
  successUrl,
  ...request
}: PaymentRequest): Kept => {
  const all: Said = {
    description,
    metadata,
    customer,
    product,
    checkoutSessionId,
    successUrl,
    cancelUrl
  }
  return {
    ...request,
    said: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
  }
}

const requestOf = ({ said, ...kept }: Kept): PaymentRequest => ({ ...kept, ...silent, ...said })

const keptTable = table<Kept>("payment_request", {
  id: uuid,
  pid: text,
  accountId: uuid,
  vaultId: uuid,
  chainId: text,
  payToAddress: terse,
  reference: text,
  amountMicro: bigint,
  receivedMicro: bigint,
  status: text,
  settlementIssue: text,
  externalReference: text,
  said: packedJson(),
  expiresAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
  paidAt: timestamp,
  txHash: terse,
  method: text,
  payerAddress: terse,
  wasAttempted: bool
})

const requestTable = keptAs(keptTable, keptOf, requestOf)

/** What is written of requests that come further, and by what their rows are found. */
const changesOf = (all: ReadonlyArray<PaymentRequest>) =>
  requestTable.records(
    all.map((noun) => ({ noun })),
    ["accountId", "id", ...changing]
  )

/** Each branch reads the end of one index, so that it costs the same at any size of the vault. */
const near = (sql: SqlClient.SqlClient, statuses: ReadonlyArray<Status>, { max, ...of }: Near) => {
  const longestLived = (condition: Fragment) => sql`
    (select id from payment_request
      where vault_id = ${Column.soughtUuid(of.vaultId)} and payment_request.status = kind.status
        and payment_request.status <> 'paid' and ${condition}
      order by expires_at desc, id desc limit ${max})`
  return sql`
    id = any(array(
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

/** Of each status, by the index of statuses: no other one has the order of all. */
const kindsOf = (sql: SqlClient.SqlClient, ofAccount: Fragment) =>
  Status.literals.map((status) => [ofAccount, sql`status = ${status}`])

/** A page of what each vault of a customer was asked for, so that the others' requests cost nothing. */
const ofCustomer = (
  sql: SqlClient.SqlClient,
  accountId: string,
  customer: Customer,
  conditions: ReadonlyArray<Fragment>,
  request: Page.Request
) => {
  const ofVault = [...conditions, sql`vault_id = wallet.id`]
  return sql<Row>`select asked.* from ${vaultsOf(sql, accountId, customer)} wallet
    cross join lateral (
      select * from payment_request ${Paging.tail(sql, ofVault, request)}
    ) asked
    order by asked.created_at desc, asked.id desc limit ${request.limit + 1}`
}

export const layer = Layer.effect(
  PaymentRequests,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const requests = Rows.rows(sql, requestTable)
    return {
      open: requests.insert,

      // By one key: of a condition over two the database may make a look at all of the account. No pid is a UUID.
      find: (accountId, idOrPid) =>
        requests.first(
          Column.isUuid(idOrPid) ? { accountId, id: idOrPid } : { accountId, pid: idOrPid }
        ),

      findPublic: (pid) => requests.first({ pid }),

      list: (accountId, { customer, maxMicro, minMicro, ...equal }, request) => {
        const ofAccount = sql`account_id = ${accountId}`
        const equals = Object.entries(equal).filter(([, value]) => value !== undefined)
        const same = [ofAccount, requestTable.equals(Object.fromEntries(equals))]
        if (customer !== undefined) {
          const amounts = Paging.between(sql, sql`amount_micro`, minMicro, maxMicro)
          const rows = ofCustomer(sql, accountId, customer, [...same, ...amounts], request)
          return Paging.page(rows, request, requestTable.read)
        }
        const kinds = equals.length === 0 ? kindsOf(sql, ofAccount) : undefined
        if (minMicro !== undefined || maxMicro !== undefined) {
          return Narrow.byAmount(
            sql,
            { table: requestTable },
            same,
            { minMicro, maxMicro },
            request,
            kinds
          )
        }
        if (kinds === undefined) return requests.page(ofAccount, request, equal)
        const rows = Paging.ofEach(sql, sql`payment_request`, kinds, request)
        return Paging.page(sql<Row>`${rows}`, request, requestTable.read)
      },

      lock: (id) => requests.first({ id }, Rows.forUpdate),

      lockFree: (ids) =>
        requests.all(sql`id = any(${Column.soughtUuids(ids)}::uuid[])`, Rows.forUpdateIfFree),

      lockPayableNear: (of) => requests.all(near(sql, payableStatuses, of), Rows.forUpdate),

      lockReferenced: (vaultId, references) =>
        requests.all(
          sql`reference = any(${references}::text[]) and vault_id = ${Column.soughtUuid(vaultId)}
            order by created_at, id`,
          Rows.forUpdate
        ),

      endedNear: (of) => requests.all(near(sql, endedStatuses, of)),

      // What a payer has paid is found by the payer's key alone: else all that the vault was paid of it may be read.
      paidLike: ({ amountMicro, payerAddress, since, vaultId }) =>
        requests.all(sql`id in (
            (select id from payment_request
              where vault_id = ${Column.soughtUuid(vaultId)} and amount_micro = ${amountMicro} and status = 'paid'
                and paid_at >= ${Column.date(since)}
              order by paid_at desc limit 2)
            union
            (select id from payment_request
              where payer_key(vault_id, amount_micro, payer_address)
                  = payer_key(${Column.soughtUuid(vaultId)}::uuid, ${amountMicro}::bigint, ${Terse.encode(payerAddress)})
                and status = 'paid' and coalesce(vault_id = ${Column.soughtUuid(vaultId)}
                  and amount_micro = ${amountMicro}
                  and payer_address = ${Terse.encode(payerAddress)}, false)
              order by paid_at desc limit 2)
          ) order by created_at, id`),

      settle: (request) => requests.save(request, changing),

      settleAll: (all) =>
        Answer.writtenAll(
          all.length,
          sql`
            update payment_request set ${requestTable.setAll(changing)}
            from ${changesOf(all)} as written
            where payment_request.id = any(${Column.soughtUuids(all.map(({ id }) => id))}::uuid[])
              and payment_request.account_id = written.account_id
              and payment_request.id = written.id
            returning 1`
        ),

      rejectPayment: ({ accountId, requestId, digest, at }, most) =>
        Answer.any(sql`
          insert into payment_turned_down (account_id, request_id, digest, at)
          select ${accountId}::uuid, ${requestId}::uuid, ${digest}, ${Column.date(at)}::timestamptz
          where (select count(*) from payment_turned_down where request_id = ${requestId}) < ${most}
          on conflict do nothing
          returning digest`),

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
    }
  })
)
