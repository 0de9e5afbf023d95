/** The store of challenges on SQL. The guarded update lets one of many uses through. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Challenge } from "../../core/governance/challenge.ts"
import { Challenges } from "../../core/governance/challenge-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly key_id: string
  readonly action: Challenge["action"]
  readonly payload_hash: string
  readonly signer_chain_id: string
  readonly signer_address: string
  readonly message: string
  readonly issued_at: Date
  readonly expires_at: Date
  readonly used_at: Date | null
}

const read = (row: Row): Challenge => ({
  id: row.id,
  accountId: row.account_id,
  keyId: row.key_id,
  action: row.action,
  payloadHash: row.payload_hash,
  signer: { chainId: row.signer_chain_id, address: row.signer_address },
  message: row.message,
  issuedAt: Column.instant(row.issued_at),
  expiresAt: Column.instant(row.expires_at),
  usedAt: Column.instantOrNull(row.used_at)
})

export const layer = Layer.effect(
  Challenges,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    issue: (challenge) =>
      Answer.done(sql`
        insert into challenge (id, account_id, key_id, action, payload_hash, signer_chain_id,
          signer_address, message, issued_at, expires_at, used_at)
        values (${challenge.id}, ${challenge.accountId}, ${challenge.keyId}, ${challenge.action},
          ${challenge.payloadHash}, ${challenge.signer.chainId}, ${challenge.signer.address},
          ${challenge.message}, ${Column.date(challenge.issuedAt)},
          ${Column.date(challenge.expiresAt)}, ${Column.dateOrNull(challenge.usedAt)})`),

    find: (accountId, challengeId) =>
      Answer.first(
        sql<Row>`select * from challenge where account_id = ${accountId} and id = ${challengeId}`,
        read
      ),

    use: (accountId, challengeId, at) =>
      Answer.any(sql`
        update challenge set used_at = ${Column.date(at)}
        where account_id = ${accountId} and id = ${challengeId} and used_at is null
        returning id`),

    forget: (expiredBefore, max) =>
      Batch.deleted(sql, {
        table: "challenge",
        where: sql`used_at is null and expires_at < ${Column.date(expiredBefore)}`,
        by: "expires_at",
        max
      })
  }))
)
