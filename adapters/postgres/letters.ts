/** The store of letters on SQL. A letter is changed only while it is queued, so that it ends once. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Letter } from "../../core/mail/letter.ts"
import { Letters } from "../../core/mail/letter-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly purpose: Letter["purpose"]
  readonly recipient: string
  readonly subject: string
  readonly sealed_text: string | null
  readonly status: Letter["status"]
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly ended_at: Date | null
}

const read = (row: Row): Letter => ({
  id: row.id,
  accountId: row.account_id,
  purpose: row.purpose,
  to: row.recipient,
  subject: row.subject,
  sealedText: row.sealed_text,
  status: row.status,
  attempts: row.attempts,
  lastError: row.last_error,
  createdAt: Column.instant(row.created_at),
  expiresAt: Column.instant(row.expires_at),
  endedAt: Column.instantOrNull(row.ended_at)
})

export const layer = Layer.effect(
  Letters,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    write: (letter) =>
      Answer.done(sql`
        insert into letter (id, account_id, purpose, recipient, subject, sealed_text, status,
          attempts, last_error, created_at, expires_at, ended_at)
        values (${letter.id}, ${letter.accountId}, ${letter.purpose}, ${letter.to},
          ${letter.subject}, ${letter.sealedText}, ${letter.status}, ${letter.attempts},
          ${letter.lastError}, ${Column.date(letter.createdAt)}, ${Column.date(letter.expiresAt)},
          ${Column.dateOrNull(letter.endedAt)})`),

    find: (letterId) => Answer.first(sql<Row>`select * from letter where id = ${letterId}`, read),

    list: (status, request) => {
      const conditions = status === undefined ? [] : [sql`status = ${status}`]
      return Paging.page(
        sql<Row>`select * from letter ${Paging.tail(sql, conditions, request)}`,
        request,
        read
      )
    },

    attempt: (letterId) =>
      Answer.first(
        sql<Row>`update letter set attempts = attempts + 1
          where id = ${letterId} and status = 'queued' returning *`,
        read
      ),

    stumble: (letterId, error) =>
      Answer.done(sql`
        update letter set last_error = ${error} where id = ${letterId} and status = 'queued'`),

    end: (letterId, { at, error, status }) =>
      Answer.any(sql`
        update letter set status = ${status}, sealed_text = null, last_error = ${error},
          ended_at = ${Column.date(at)}
        where id = ${letterId} and status = 'queued' returning id`),

    revoke: (accountId, purpose, at) =>
      Answer.done(sql`
        update letter set status = 'void', sealed_text = null, ended_at = ${Column.date(at)}
        where account_id = ${accountId} and purpose = ${purpose} and status = 'queued'`)
  }))
)
