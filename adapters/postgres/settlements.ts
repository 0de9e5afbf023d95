/**
 * The store of settlements on SQL, which is its own queue. The unique key lets one of many copies of a
 * payment in; a claim skips rows that another is claiming, and every write is guarded by its lease.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Settlements } from "../../core/submissions/settlement-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Leases from "./leases.ts"
import * as SettlementRow from "./settlement-row.ts"

type ClaimedRow = SettlementRow.Row & { readonly lease: string }

export const layer = Layer.effect(
  Settlements,
  Effect.map(Effect.all([SqlClient.SqlClient, Leases.LeaseClock]), ([sql, clock]) => ({
    open: (settlement) => Answer.any(SettlementRow.opening(sql, settlement)),

    find: ({ chainId, token, from, nonce }) =>
      Answer.first(
        sql<SettlementRow.Row>`select * from settlement
          where chain_id = ${chainId} and token = ${token} and from_address = ${from}
            and nonce = ${nonce}`,
        SettlementRow.read
      ),

    revive: (settlementId, at) =>
      Answer.any(sql`
        update settlement set step = 'signed', outcome = null, reason = null, tx_hash = null,
          relayer = null, relayer_nonce = null, carriers = '[]', next_look_at = ${Column.date(at)},
          updated_at = ${Column.date(at)}, lease = null, lease_ends_at = null
        where id = ${settlementId} and outcome = 'failed' and step = 'settled'
        returning id`),

    claim: ({ leaseMs, most, now }) =>
      Answer.all(
        sql<ClaimedRow>`
          with due as (
            select id from settlement
            where step <> 'settled' and next_look_at <= ${Column.date(now)}
              and (lease is null or lease_ends_at <= ${clock(sql, now)})
            order by next_look_at, id limit ${most}
            for no key update skip locked
          ),
          claimed as (
            update settlement set lease = gen_random_uuid(),
              lease_ends_at = ${Leases.endOf(sql, clock(sql, now), leaseMs)}
            from due where settlement.id = due.id
            returning settlement.*
          )
          select * from claimed order by next_look_at, id`,
        (row) => ({ settlement: SettlementRow.read(row), lease: row.lease })
      ),

    renew: Leases.renewing(sql, clock, { table: "settlement", key: "id" }),

    note: (lease, settlement) => Answer.any(SettlementRow.writing(sql, lease, settlement)),

    conclude: (lease, settlement) =>
      Answer.any(
        SettlementRow.writing(sql, lease, settlement, sql`, lease = null, lease_ends_at = null`)
      ),

    // A leased one is free when its lease has ended and it is due, whichever comes last.
    nextDue: (now) =>
      Answer.first(
        sql<{
          free_at: Date
        }>`select greatest(next_look_at, ${Leases.endForCaller(sql, clock, now)}) as free_at
        from settlement where step <> 'settled'
        order by greatest(next_look_at, lease_ends_at) limit 1`,
        ({ free_at }) => Column.instant(free_at)
      ),

    standing: (requestIds) =>
      Answer.all(
        sql<SettlementRow.Row>`select * from settlement
          where request_id = any(${requestIds}::text[]) and outcome is distinct from 'failed'
          order by created_at, id`,
        SettlementRow.read
      ),

    rejectPayment: ({ accountId, requestId, digest, at }, most) =>
      Answer.any(sql`
        insert into payment_turned_down (account_id, request_id, digest, at)
        select ${accountId}, ${requestId}, ${digest}, ${Column.date(at)}::timestamptz
        where (select count(*) from payment_turned_down where request_id = ${requestId}) < ${most}
        on conflict do nothing
        returning digest`),

    attach: (settlementId, transferId) =>
      Answer.written(sql`
        update settlement set transfer_id = ${transferId} where id = ${settlementId} returning id`)
  }))
)
