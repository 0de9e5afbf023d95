/** The store of wallets on SQL. Unique keys give a customer one vault on a chain and an address one wallet. */

import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../core/chains/address.ts"
import { changing, type Wallet } from "../../core/wallets/wallet.ts"
import { type Filter, Wallets } from "../../core/wallets/wallet-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { gathered, ownedBy } from "./gathered.ts"
import * as Narrow from "./narrow.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import * as Search from "./search.ts"
import { bool, json, table, text, timestamp, together, uuid } from "./table.ts"

const walletTable = table<Wallet>("wallet", {
  id: uuid,
  accountId: uuid,
  name: text,
  nickname: text,
  address: text,
  chainId: text,
  isDefault: bool,
  metadata: json(),
  kind: text,
  customer: together("", { externalId: text, namespace: text }),
  key: together("key", { backend: text, ref: text }),
  isRecoverable: bool,
  createdAt: timestamp
})

const carrying = (sql: SqlClient.SqlClient, { metadataKey, metadataValue }: Filter) => {
  if (metadataKey === undefined) return []
  return metadataValue === undefined
    ? [sql`metadata ? ${metadataKey}::text`]
    : [sql`metadata @> ${Column.json({ [metadataKey]: metadataValue })}::jsonb`]
}

/** What the index finds such wallets by. */
const byTerms = (sql: SqlClient.SqlClient, accountId: string, filter: Filter) => {
  const { metadataKey, metadataValue = "", search } = filter
  const terms = [
    ...(metadataKey === undefined
      ? []
      : [sql`array[tag_term(${accountId}, ${metadataKey}, ${metadataValue})]`]),
    ...Search.terms(sql, accountId, search)
  ]
  const indexed = sql`wallet_terms(account_id, name, nickname, address, external_id, metadata)`
  return Search.byTerms(sql, accountId, indexed, terms)
}

const ofCustomer = (sql: SqlClient.SqlClient, { customer }: Filter) =>
  customer === undefined
    ? []
    : [sql`namespace = ${customer.namespace} and external_id = ${customer.externalId}`]

const searched = ["name", "nickname", "address", "external_id"]

const finding = (sql: SqlClient.SqlClient, { search }: Filter) =>
  search === undefined ? [] : [Search.containing(sql, searched, search)]

/** Written out, so that the index of standard wallets is used: vaults may be a hundred thousand beside them. */
const ofKind = (sql: SqlClient.SqlClient, { kind }: Filter) => {
  if (kind === undefined) return []
  return kind === "standard" ? [sql`kind = 'standard'`] : [sql`kind = 'collection'`]
}

export const layer = Layer.effect(
  Wallets,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const wallets = Rows.rows(sql, walletTable)
    const placeOf = (chainId: string, key: string) => `${chainId} ${key}`
    const byId = gathered<Wallet>(
      sql,
      ({ id }) => id,
      (ids) => wallets.all(sql`id ${OneOf.uuids(sql, ids)}`)
    )
    const byPlace = gathered<Wallet>(
      sql,
      ({ address, chainId }) => placeOf(chainId, Address.keyOf(chainId, address)),
      (places) =>
        wallets.all(sql`(chain_id, address_key(chain_id, address)) in (
          select split_part(key, ' ', 1), split_part(key, ' ', 2)
          from ${OneOf.rows(sql, places)})`)
    )
    return {
      find: (accountId, id) => ownedBy(accountId, byId(id)),

      list: (accountId, filter, request) => {
        const narrowing = [...carrying(sql, filter), ...finding(sql, filter)]
        const kind = ofKind(sql, filter)
        const of = sql`account_id = ${accountId}`
        const [customers] = ofCustomer(sql, filter)
        if (customers !== undefined) {
          // One vault on each chain: the unique key of customers finds them, and its order is asked for.
          const found = sql.and([of, customers])
          const conditions = [customers, ...kind, ...narrowing]
          const narrowed = { table: walletTable, of, found, foundBy: sql`chain_id`, conditions }
          return Narrow.page(sql, narrowed, request)
        }
        if (narrowing.length === 0) return wallets.page(sql.and([of, ...kind]), request)
        const found = byTerms(sql, accountId, filter)
        const conditions = [...kind, ...narrowing]
        return Narrow.page(sql, { table: walletTable, of, found, conditions }, request)
      },

      // Put in order afterwards: by the index that has the order, it may read all of the account to find one.
      vaultOf: (accountId, customer, chainId) => {
        const isVault = { accountId, customer, ...(chainId === undefined ? {} : { chainId }) }
        return wallets.first(isVault, sql` order by created_at + interval '0', id limit 1`)
      },

      vaultsAt: (chainId, addresses) => {
        const keys = addresses.map((address) => Address.keyOf(chainId, address))
        return wallets.all(sql`chain_id = ${chainId} and kind = 'collection'
          and address_key(chain_id, address) = any(${keys}::text[])`)
      },

      ownerOf: (chainId, address) =>
        Effect.map(
          byPlace(placeOf(chainId, Address.keyOf(chainId, address))),
          (wallet) => wallet?.accountId
        ),

      listOn: (chainId, after, limit) =>
        wallets.all(
          sql`chain_id = ${chainId} and ${
            after === undefined ? sql`true` : sql`address_key(chain_id, address) > ${after}`
          }`,
          sql` order by address_key(chain_id, address) limit ${limit}`
        ),

      countOwn: (accountId) =>
        Answer.only(
          sql<{ count: number }>`select count(*)::integer as count from wallet
            where account_id = ${accountId} and kind = 'standard'`,
          ({ count }) => count
        ),

      revise: (wallet) => wallets.save(wallet, changing),

      // A vault is looked at from the start where its chain tells of nothing that nobody asks about.
      add: (wallet) =>
        wallet.kind === "collection" && Address.familyOf(wallet.chainId).tellsByAddress
          ? Answer.any(sql`
              with added as (${walletTable.insert(wallet)} on conflict do nothing returning id)
              insert into settled_balance (vault_id, chain_id, address, block_number, held_micro)
              select id, ${wallet.chainId}, ${Address.keyOf(wallet.chainId, wallet.address)}, 0, 0
              from added returning 1`)
          : wallets.insertNew(wallet)
    }
  })
)
