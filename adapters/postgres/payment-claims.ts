/** The store of payers' claims on SQL. The primary key lets a payer's first word on a transaction stand. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { AddressKey, TransactionId } from "../../core/chains/address.ts"
import type { PayerStatement } from "../../core/payments/claim.ts"
import { PaymentClaims } from "../../core/payments/transfer-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { table, text, timestamp, uuid } from "./table.ts"

const claimTable = table<PayerStatement>(
  "payment_claim",
  { chainId: text, txHash: text, payerAddress: text, requestId: uuid, claimedAt: timestamp },
  ["chainId", "txHash", "payerAddress"]
)

export const layer = Layer.effect(
  PaymentClaims,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const claims = Rows.rows(sql, claimTable)
    const find = (chainId: string, txHash: TransactionId, payerAddress: AddressKey) =>
      claims.first({ chainId, txHash, payerAddress })
    const insert = (claim: PayerStatement, most: number) =>
      Answer.any(sql`
        insert into payment_claim (chain_id, tx_hash, payer_address, request_id, account_id, claimed_at)
        select ${claim.chainId}, ${claim.txHash}, ${claim.payerAddress}, request.id, request.account_id,
          ${Column.date(claim.claimedAt)}::timestamptz
        from payment_request request where request.id = ${claim.requestId}
          and (select count(*) from payment_claim where request_id = request.id) < ${most}
        on conflict do nothing returning request_id`)
    return {
      add: Effect.fnUntraced(function* (claim, most) {
        if (yield* insert(claim, most)) return "kept"
        const known = yield* find(claim.chainId, claim.txHash, claim.payerAddress)
        return known === undefined ? "full" : "known"
      }),
      find,
      forget: (claimedBefore, max) =>
        claims.forget(sql`claimed_at < ${Column.date(claimedBefore)}`, "claimedAt", max)
    }
  })
)
