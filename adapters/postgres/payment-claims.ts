/** The store of payers' claims on SQL. The primary key lets a payer's first word on a transaction stand. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Claim } from "../../core/payments/claim.ts"
import { PaymentClaims } from "../../core/payments/claim-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"

interface Row {
  readonly chain_id: string
  readonly tx_hash: string
  readonly payer_address: string
  readonly request_id: string
  readonly claimed_at: Date
}

const read = (row: Row): Claim => ({
  chainId: row.chain_id,
  txHash: row.tx_hash,
  payerAddress: row.payer_address,
  requestId: row.request_id,
  claimedAt: Column.instant(row.claimed_at)
})

export const layer = Layer.effect(
  PaymentClaims,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const find = (chainId: string, txHash: string, payerAddress: string) =>
      Answer.first(
        sql<Row>`select * from payment_claim where chain_id = ${chainId}
          and tx_hash = ${txHash.toLowerCase()} and payer_address = ${payerAddress.toLowerCase()}`,
        read
      )
    const insert = (claim: Claim, most: number) =>
      Answer.any(sql`
        insert into payment_claim (chain_id, tx_hash, payer_address, request_id, claimed_at)
        select ${claim.chainId}, ${claim.txHash}, ${claim.payerAddress}, ${claim.requestId},
          ${Column.date(claim.claimedAt)}
        where (select count(*) from payment_claim where request_id = ${claim.requestId}) < ${most}
        on conflict do nothing
        returning request_id`)
    return {
      add: Effect.fnUntraced(function* (claim, most) {
        if (yield* insert(claim, most)) return "kept"
        const known = yield* find(claim.chainId, claim.txHash, claim.payerAddress)
        return known === undefined ? "full" : "known"
      }),
      find,
      forget: (claimedBefore, max) =>
        Batch.deleted(sql, {
          table: "payment_claim",
          where: sql`claimed_at < ${Column.date(claimedBefore)}`,
          by: "claimed_at",
          max
        })
    }
  })
)
