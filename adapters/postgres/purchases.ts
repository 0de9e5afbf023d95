/** The store of purchases on SQL; its keys see to it that one transaction buys one thing. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { maxRows } from "../../core/background/chore.ts"
import type { Purchase } from "../../core/policy/purchase.ts"
import { Purchases } from "../../core/policy/spending-ledger.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { bigint, table, text, timestamp, uuid } from "./table.ts"

const purchase = table<Purchase>(
  "purchase",
  {
    chainId: text,
    txHash: text,
    settlementId: uuid,
    accountId: uuid,
    purpose: text,
    plan: text,
    amountMicro: bigint,
    payer: text,
    paidAt: timestamp,
    expiresAt: timestamp,
    keyId: uuid,
    sealedKey: text,
    eraseAt: timestamp
  },
  ["settlementId"]
)

const withoutKey = { sealedKey: null, eraseAt: null }

export const layer = Layer.effect(
  Purchases,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const purchases = Rows.rows(sql, purchase)
    return {
      record: (recorded) => purchases.insertNew(recorded),
      ofSettlement: (settlementId) => purchases.first({ settlementId }),
      eraseKeys: (now, max) =>
        Batch.updated(sql, purchase.set(withoutKey), {
          table: purchase.name,
          where: sql`sealed_key is not null and erase_at <= ${Column.date(now)}`,
          by: "erase_at",
          max
        }),
      eraseKeysOf: (accountId, keyIds) =>
        Effect.asVoid(
          Batch.inParts(keyIds, maxRows, (part) =>
            Effect.as(
              purchases.updateAll(
                sql`account_id = ${accountId} and key_id = any(${Column.soughtUuids(part)}::uuid[])
                  and sealed_key is not null`,
                withoutKey
              ),
              []
            )
          )
        )
    }
  })
)
