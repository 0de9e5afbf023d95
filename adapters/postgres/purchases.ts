/** The store of purchases on SQL; its keys see to it that one transaction buys one thing. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Purchase } from "../../core/policy/purchase.ts"
import { Purchases } from "../../core/policy/purchase-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"

interface Row {
  readonly chain_id: string
  readonly tx_hash: string
  readonly settlement_id: string
  readonly account_id: string
  readonly purpose: Purchase["purpose"]
  readonly plan: Purchase["plan"]
  readonly amount_micro: bigint
  readonly payer: string
  readonly paid_at: Date
  readonly expires_at: Date
  readonly key_id: string | null
  readonly sealed_key: string | null
  readonly erase_at: Date | null
}

const read = (row: Row): Purchase => ({
  chainId: row.chain_id,
  txHash: row.tx_hash,
  settlementId: row.settlement_id,
  accountId: row.account_id,
  purpose: row.purpose,
  plan: row.plan,
  amountMicro: row.amount_micro,
  payer: row.payer,
  paidAt: Column.instant(row.paid_at),
  expiresAt: Column.instant(row.expires_at),
  keyId: row.key_id,
  sealedKey: row.sealed_key,
  eraseAt: Column.instantOrNull(row.erase_at)
})

export const layer = Layer.effect(
  Purchases,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    record: (purchase) =>
      Answer.any(sql`
        insert into purchase (chain_id, tx_hash, settlement_id, account_id, purpose, plan,
          amount_micro, payer, paid_at, expires_at, key_id, sealed_key, erase_at)
        values (${purchase.chainId}, ${purchase.txHash}, ${purchase.settlementId},
          ${purchase.accountId}, ${purchase.purpose}, ${purchase.plan}, ${purchase.amountMicro},
          ${purchase.payer}, ${Column.date(purchase.paidAt)}, ${Column.date(purchase.expiresAt)},
          ${purchase.keyId}, ${purchase.sealedKey}, ${Column.dateOrNull(purchase.eraseAt)})
        on conflict do nothing
        returning settlement_id`),

    ofSettlement: (settlementId) =>
      Answer.first(sql<Row>`select * from purchase where settlement_id = ${settlementId}`, read),

    eraseKeys: (now, max) =>
      Batch.updated(sql, sql`sealed_key = null, erase_at = null`, {
        table: "purchase",
        where: sql`sealed_key is not null and erase_at <= ${Column.date(now)}`,
        by: "erase_at",
        max
      }),

    eraseKeysOf: (accountId, keyIds) =>
      Answer.done(sql`
        update purchase set sealed_key = null, erase_at = null
        where account_id = ${accountId} and key_id = any(${keyIds}::text[])
          and sealed_key is not null`)
  }))
)
