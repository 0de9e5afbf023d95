/** The store of wallets on SQL. Unique keys give a customer one vault on a chain and a key one wallet. */

import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../core/chains/address.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import { type Filter, Wallets } from "../../core/wallets/wallet-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly nickname: string | null
  readonly address: string
  readonly chain_id: string
  readonly is_default: boolean
  readonly metadata: Wallet["metadata"]
  readonly kind: Wallet["kind"]
  readonly namespace: string | null
  readonly external_id: string | null
  readonly key_backend: string
  readonly key_ref: string
  readonly created_at: Date
}

const read = (row: Row): Wallet => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  nickname: row.nickname,
  address: row.address,
  chainId: row.chain_id,
  isDefault: row.is_default,
  metadata: row.metadata,
  kind: row.kind,
  customer:
    row.external_id === null || row.namespace === null
      ? null
      : { externalId: row.external_id, namespace: row.namespace },
  key: { backend: row.key_backend, ref: row.key_ref },
  createdAt: Column.instant(row.created_at)
})

const carrying = (sql: SqlClient.SqlClient, { metadataKey, metadataValue }: Filter) => {
  if (metadataKey === undefined) return []
  return metadataValue === undefined
    ? [sql`metadata ? ${metadataKey}::text`]
    : [sql`metadata ->> ${metadataKey}::text = ${metadataValue}`]
}

export const layer = Layer.effect(
  Wallets,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    find: (accountId, walletId) =>
      Answer.first(
        sql<Row>`select * from wallet where account_id = ${accountId} and id = ${walletId}`,
        read
      ),

    list: (accountId, filter, request) => {
      const conditions = [sql`account_id = ${accountId}`, ...carrying(sql, filter)]
      return Paging.page(
        sql<Row>`select * from wallet ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    },

    vaultOf: (accountId, { externalId, namespace }, chainId) => {
      const conditions = [
        sql`account_id = ${accountId}`,
        sql`namespace = ${namespace}`,
        sql`external_id = ${externalId}`,
        ...(chainId === undefined ? [] : [sql`chain_id = ${chainId}`])
      ]
      return Answer.first(
        sql<Row>`select * from wallet where ${sql.and(conditions)}
          order by created_at, id limit 1`,
        read
      )
    },

    vaultsAt: (chainId, addresses) =>
      Answer.all(
        sql<Row>`select * from wallet
          where chain_id = ${chainId} and address_key(chain_id, address) = any(${addresses.map((address) => Address.keyOf(chainId, address))}::text[])
            and kind = 'collection'`,
        read
      ),

    ownerOf: (chainId, address) =>
      Answer.first(
        sql<Pick<Row, "account_id">>`select account_id from wallet
          where chain_id = ${chainId}
            and address_key(chain_id, address) = ${Address.keyOf(chainId, address)} limit 1`,
        (row) => row.account_id
      ),

    countOwn: (accountId) =>
      Answer.only(
        sql<{ count: number }>`select count(*)::integer as count from wallet
          where account_id = ${accountId} and kind = 'standard'`,
        ({ count }) => count
      ),

    revise: (wallet) =>
      Answer.written(sql`
        update wallet set nickname = ${wallet.nickname}, metadata = ${Column.json(wallet.metadata)}
        where account_id = ${wallet.accountId} and id = ${wallet.id}
        returning id`),

    add: (wallet) =>
      Answer.any(sql`
        insert into wallet (id, account_id, name, nickname, address, chain_id, is_default, metadata,
          kind, namespace, external_id, key_backend, key_ref, created_at)
        values (${wallet.id}, ${wallet.accountId}, ${wallet.name}, ${wallet.nickname},
          ${wallet.address}, ${wallet.chainId}, ${wallet.isDefault}, ${Column.json(wallet.metadata)},
          ${wallet.kind}, ${wallet.customer?.namespace ?? null},
          ${wallet.customer?.externalId ?? null}, ${wallet.key.backend}, ${wallet.key.ref},
          ${Column.date(wallet.createdAt)})
        on conflict on constraint wallet_customer_once do nothing
        returning id`),

    takeNumber: Answer.only(
      sql<{ number: bigint }>`select nextval('wallet_number') as number`,
      ({ number }) => Number(number)
    )
  }))
)
