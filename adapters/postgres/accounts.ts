/** The store of accounts on SQL. */

import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Account } from "../../core/accounts/account.ts"
import { Accounts } from "../../core/accounts/account-store.ts"
import * as Address from "../../core/chains/address.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly name: string
  readonly kind: Account["kind"]
  readonly tier: Account["tier"]
  readonly livemode: boolean
  readonly funding_chain_id: string | null
  readonly funding_address: string | null
  readonly contact_email: string | null
  readonly subscription_expires_at: Date | null
  readonly paused_at: Date | null
  readonly created_at: Date
}

const read = (row: Row): Account => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  tier: row.tier,
  livemode: row.livemode,
  fundingWallet:
    row.funding_chain_id === null || row.funding_address === null
      ? null
      : { chainId: row.funding_chain_id, address: row.funding_address },
  contactEmail: row.contact_email,
  subscriptionExpiresAt: Column.instantOrNull(row.subscription_expires_at),
  pausedAt: Column.instantOrNull(row.paused_at),
  createdAt: Column.instant(row.created_at)
})

export const layer = Layer.effect(
  Accounts,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    find: (accountId) =>
      Answer.first(sql<Row>`select * from account where id = ${accountId}`, read),

    open: (account) =>
      Answer.done(sql`
        insert into account (id, name, kind, tier, livemode, funding_chain_id, funding_address,
          contact_email, subscription_expires_at, paused_at, created_at)
        values (${account.id}, ${account.name}, ${account.kind}, ${account.tier},
          ${account.livemode}, ${account.fundingWallet?.chainId ?? null},
          ${account.fundingWallet?.address ?? null}, ${account.contactEmail},
          ${Column.dateOrNull(account.subscriptionExpiresAt)},
          ${Column.dateOrNull(account.pausedAt)}, ${Column.date(account.createdAt)})`),

    lock: (accountId) =>
      Answer.first(sql<Row>`select * from account where id = ${accountId} for no key update`, read),

    subscribe: (accountId, tier, expiresAt) =>
      Answer.written(sql`
        update account set tier = ${tier}, subscription_expires_at = ${Column.dateOrNull(expiresAt)}
        where id = ${accountId} returning id`),

    giveFundingWallet: (accountId, { address, chainId }) =>
      Answer.any(sql`
        update account set funding_chain_id = ${chainId}, funding_address = ${address}
        where id = ${accountId} and kind = 'agent' and funding_address is null returning id`),

    list: (request) =>
      Paging.page(sql<Row>`select * from account ${Paging.tail(sql, [], request)}`, request, read),

    retier: (accountId, tier) =>
      Answer.written(sql`update account set tier = ${tier} where id = ${accountId} returning id`),

    pause: (accountId, at) =>
      Answer.written(sql`
        update account set paused_at = ${Column.dateOrNull(at)} where id = ${accountId}
        returning id`),

    fundedBy: ({ address, chainId }, request) =>
      Paging.page(
        sql<Row>`select * from account
          ${Paging.tail(sql, [sql`address_key(funding_chain_id, funding_address) = ${Address.keyOf(chainId, address)}`], request)}`,
        request,
        read
      )
  }))
)
