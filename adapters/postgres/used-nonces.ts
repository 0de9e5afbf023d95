/** The store of wallets' transactions that no submission has, on SQL. Its key lets a nonce be kept once. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { ToldNonce } from "../../core/evm/call.ts"
import { UsedNonces } from "../../core/evm/used-nonce-store.ts"
import * as Rows from "./rows.ts"
import { bool, integer, named, table, text, units } from "./table.ts"

const usedNonces = table<ToldNonce>(
  "used_nonce",
  {
    chainId: text,
    sender: text,
    nonce: integer,
    txId: text,
    blockNumber: integer,
    blockHash: text,
    to: named("called", text),
    data: text,
    value: units,
    isSuccess: bool
  },
  ["chainId", "sender", "nonce"]
)

const toldFields = [
  "txId",
  "blockNumber",
  "blockHash",
  "to",
  "data",
  "value",
  "isSuccess"
] as const satisfies ReadonlyArray<keyof ToldNonce>

export const layer = Layer.effect(
  UsedNonces,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const rows = Rows.rows(sql, usedNonces)
    return {
      keep: (used) => Effect.asVoid(rows.insertNew(used)),

      replace: (used) => rows.save(used, toldFields),

      forget: ({ chainId, nonce, sender }) =>
        Effect.asVoid(rows.remove({ chainId, sender, nonce })),

      from: (chainId, sender, nonce) =>
        rows.all(
          sql`chain_id = ${chainId} and sender = ${sender} and nonce >= ${nonce}::bigint`,
          sql` order by nonce`
        )
    }
  })
)
