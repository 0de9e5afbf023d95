/** The store of wallets' transactions that no submission has, on SQL. Its key lets a nonce be kept once. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type KeptNonce, UsedNonces } from "../../core/evm/used-nonce-store.ts"
import * as Rows from "./rows.ts"
import { bool, integer, named, table, text, units } from "./table.ts"

const usedNonces = table<KeptNonce>(
  "used_nonce",
  {
    chainId: text,
    sender: text,
    nonce: integer,
    txId: text,
    to: named("called", text),
    data: text,
    value: units,
    isSuccess: bool
  },
  ["chainId", "sender", "nonce"]
)

export const layer = Layer.effect(
  UsedNonces,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const rows = Rows.rows(sql, usedNonces)
    return {
      keep: (used) => Effect.asVoid(rows.insertNew(used)),

      from: (chainId, sender, nonce) =>
        rows.all(
          sql`chain_id = ${chainId} and sender = ${sender} and nonce >= ${nonce}::bigint`,
          sql` order by nonce`
        ),

      succeeded: (chainId, sender, identity) =>
        rows.first(sql`chain_id = ${chainId} and sender = ${sender} and is_success
          and right(data, char_length(${identity}::text)) = ${identity}::text
          order by nonce limit 1`)
    }
  })
)
