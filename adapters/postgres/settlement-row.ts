/** A row of the settlement table, the settlement it tells of, and the statements that write one. */
import type { Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Settlement, Subject } from "../../core/submissions/settlement.ts"
import * as Column from "./column.ts"
import * as ExecutionRow from "./execution-row.ts"

export interface Row {
  readonly id: string
  readonly subject: Subject
  readonly chain_id: string
  readonly token: string
  readonly from_address: string
  readonly to_address: string
  readonly amount_micro: bigint
  readonly nonce: string
  readonly valid_after: bigint | null
  readonly valid_before: bigint
  readonly signature: string
  readonly payload: Readonly<Record<string, Schema.Json>>
  readonly step: Settlement["step"]
  readonly outcome: Settlement["outcome"]
  readonly reason: string | null
  readonly tx_hash: string | null
  readonly transfer_id: string | null
  readonly relayer: string | null
  readonly relayer_nonce: bigint | null
  readonly carriers: ReadonlyArray<ExecutionRow.WrittenCarrier>
  readonly next_look_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export const read = (row: Row): Settlement => ({
  id: row.id,
  subject: row.subject,
  chainId: row.chain_id,
  authorization: {
    act: "transfer",
    chainId: row.chain_id,
    token: row.token,
    from: row.from_address,
    to: row.to_address,
    amountMicro: row.amount_micro,
    nonce: row.nonce,
    ...(row.valid_after === null ? {} : { validAfter: Number(row.valid_after) }),
    validBefore: Number(row.valid_before),
    signature: row.signature
  },
  payload: row.payload,
  step: row.step,
  outcome: row.outcome,
  reason: row.reason,
  txHash: row.tx_hash,
  transferId: row.transfer_id,
  relayer: row.relayer,
  relayerNonce: row.relayer_nonce === null ? null : Number(row.relayer_nonce),
  carriers: row.carriers.map(ExecutionRow.readCarrier),
  nextLookAt: Column.instantOrNull(row.next_look_at),
  createdAt: Column.instant(row.created_at),
  updatedAt: Column.instant(row.updated_at)
})

const accountIdOf = (subject: Subject) => (subject._tag === "onboarding" ? null : subject.accountId)

const requestIdOf = (subject: Subject) =>
  subject._tag === "payment_request" ? subject.requestId : null

/** Gives no row back when the authorization is bound already. */
export const opening = (sql: SqlClient, settlement: Settlement) => {
  const { authorization, subject } = settlement
  return sql`
    insert into settlement (id, subject, account_id, request_id, chain_id, token, from_address,
      to_address, amount_micro, nonce, valid_after, valid_before, signature, payload, step, outcome,
      reason, tx_hash, transfer_id, relayer, relayer_nonce, carriers, next_look_at, created_at,
      updated_at)
    values (${settlement.id}, ${Column.json(subject)}, ${accountIdOf(subject)},
      ${requestIdOf(subject)}, ${authorization.chainId}, ${authorization.token},
      ${authorization.from}, ${authorization.to}, ${authorization.amountMicro},
      ${authorization.nonce}, ${authorization.validAfter ?? null}, ${authorization.validBefore},
      ${authorization.signature}, ${Column.json(settlement.payload)}, ${settlement.step},
      ${settlement.outcome}, ${settlement.reason}, ${settlement.txHash}, ${settlement.transferId},
      ${settlement.relayer}, ${settlement.relayerNonce},
      ${ExecutionRow.carriers(settlement.carriers)}, ${Column.dateOrNull(settlement.nextLookAt)},
      ${Column.date(settlement.createdAt)}, ${Column.date(settlement.updatedAt)})
    on conflict on constraint settlement_once do nothing
    returning id`
}

/** What a step writes down; what was signed, and what for, no statement names again. */
export const writing = (
  sql: SqlClient,
  lease: string,
  settlement: Settlement,
  ending: Fragment = sql``
) => sql`
  update settlement set step = ${settlement.step}, outcome = ${settlement.outcome},
    reason = ${settlement.reason}, tx_hash = ${settlement.txHash},
    relayer = ${settlement.relayer}, relayer_nonce = ${settlement.relayerNonce},
    carriers = ${ExecutionRow.carriers(settlement.carriers)},
    next_look_at = ${Column.dateOrNull(settlement.nextLookAt)},
    updated_at = ${Column.date(settlement.updatedAt)}
    ${ending}
  where id = ${settlement.id} and lease = ${lease}
  returning id`
