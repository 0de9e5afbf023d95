/**
 * The store of recipients on SQL. A unique index over those not revoked lets an address stand once for an
 * account and chain, whoever adds it at the same time.
 */

import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../core/chains/address.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly label: string
  readonly address: string
  readonly chain_id: string
  readonly status: Recipient["status"]
  readonly cooldown_ends_at: Date
  readonly is_own: boolean
  readonly created_at: Date
}

const read = (row: Row): Recipient => ({
  id: row.id,
  accountId: row.account_id,
  label: row.label,
  address: row.address,
  chainId: row.chain_id,
  status: row.status,
  cooldownEndsAt: Column.instant(row.cooldown_ends_at),
  isOwn: row.is_own,
  createdAt: Column.instant(row.created_at)
})

export const layer = Layer.effect(
  Recipients,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    find: (accountId, recipientId) =>
      Answer.first(
        sql<Row>`select * from recipient where account_id = ${accountId} and id = ${recipientId}`,
        read
      ),

    // The lock of a writer that leaves the key alone: proposals that refer to it do not wait for it.
    lock: (accountId, recipientId) =>
      Answer.first(
        sql<Row>`select * from recipient
          where account_id = ${accountId} and id = ${recipientId} for no key update`,
        read
      ),

    standing: (accountId, chainId, address) =>
      Answer.first(
        sql<Row>`select * from recipient
          where account_id = ${accountId} and chain_id = ${chainId}
            and address_key(chain_id, address) = ${Address.keyOf(chainId, address)} and status <> 'revoked'`,
        read
      ),

    list: (accountId, request) =>
      Paging.page(
        sql<Row>`select * from recipient
          ${Paging.tail(sql, [sql`account_id = ${accountId}`], request)}`,
        request,
        read
      ),

    add: (recipient) =>
      Answer.any(sql`
        insert into recipient (id, account_id, label, address, chain_id, status, cooldown_ends_at,
          is_own, created_at)
        values (${recipient.id}, ${recipient.accountId}, ${recipient.label}, ${recipient.address},
          ${recipient.chainId}, ${recipient.status}, ${Column.date(recipient.cooldownEndsAt)},
          ${recipient.isOwn}, ${Column.date(recipient.createdAt)})
        on conflict (account_id, chain_id, address_key(chain_id, address)) where status <> 'revoked' do nothing
        returning id`),

    revise: (recipient) =>
      Answer.written(sql`
        update recipient set label = ${recipient.label}, status = ${recipient.status},
          cooldown_ends_at = ${Column.date(recipient.cooldownEndsAt)}, is_own = ${recipient.isOwn}
        where account_id = ${recipient.accountId} and id = ${recipient.id}
        returning id`)
  }))
)
