/** The store of sessions on SQL. A digest belongs to one session, by a unique key of the table. */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Session } from "../../core/humans/session.ts"
import { Sessions } from "../../core/humans/session-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly human_id: string
  readonly passkey_id: string
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly expires_at: Date
}

const read = (row: Row): Session => ({
  id: row.id,
  accountId: row.account_id,
  humanId: row.human_id,
  passkeyId: row.passkey_id,
  createdAt: Column.instant(row.created_at),
  lastSeenAt: Column.instant(row.last_seen_at),
  expiresAt: Column.instant(row.expires_at)
})

export const layer = Layer.effect(
  Sessions,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    open: (session, digest) =>
      Answer.done(sql`
        insert into console_session (id, account_id, human_id, passkey_id, digest, created_at,
          last_seen_at, expires_at)
        values (${session.id}, ${session.accountId}, ${session.humanId}, ${session.passkeyId},
          ${digest}, ${Column.date(session.createdAt)}, ${Column.date(session.lastSeenAt)},
          ${Column.date(session.expiresAt)})`),

    findByDigest: (digest) =>
      Answer.first(sql<Row>`select * from console_session where digest = ${digest}`, read),

    noteSeen: (sessionId, at) => {
      const minuteBefore = DateTime.subtract(at, { minutes: 1 })
      return Answer.done(sql`
        update console_session set last_seen_at = ${Column.date(at)}
        where id = ${sessionId} and last_seen_at <= ${Column.date(minuteBefore)}`)
    },

    end: (sessionId) =>
      Answer.any(sql`delete from console_session where id = ${sessionId} returning id`),

    endOf: (passkeyId) =>
      Answer.count(sql`delete from console_session where passkey_id = ${passkeyId} returning id`),

    forget: (expiredBefore, max) =>
      Batch.deleted(sql, {
        table: "console_session",
        where: sql`expires_at < ${Column.date(expiredBefore)}`,
        by: "expires_at",
        max
      })
  }))
)
