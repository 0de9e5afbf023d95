/** The store of one-time enrolment links on SQL. The guarded update lets one of many uses through. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Enrolment } from "../../core/humans/enrolment.ts"
import { Enrolments } from "../../core/humans/enrolment-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly purpose: Enrolment["purpose"]
  readonly human_id: string
  readonly name: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly ended_at: Date | null
}

const read = (row: Row): Enrolment => ({
  id: row.id,
  accountId: row.account_id,
  purpose: row.purpose,
  humanId: row.human_id,
  name: row.name,
  createdAt: Column.instant(row.created_at),
  expiresAt: Column.instant(row.expires_at),
  endedAt: Column.instantOrNull(row.ended_at)
})

export const layer = Layer.effect(
  Enrolments,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    issue: (enrolment, digest) =>
      Answer.done(sql`
        insert into enrolment (id, account_id, purpose, human_id, name, digest, created_at,
          expires_at, ended_at)
        values (${enrolment.id}, ${enrolment.accountId}, ${enrolment.purpose},
          ${enrolment.humanId}, ${enrolment.name}, ${digest}, ${Column.date(enrolment.createdAt)},
          ${Column.date(enrolment.expiresAt)}, ${Column.dateOrNull(enrolment.endedAt)})`),

    findByDigest: (digest) =>
      Answer.first(sql<Row>`select * from enrolment where digest = ${digest}`, read),

    find: (enrolmentId) =>
      Answer.first(sql<Row>`select * from enrolment where id = ${enrolmentId}`, read),

    use: (enrolmentId, at) =>
      Answer.any(sql`
        update enrolment set ended_at = ${Column.date(at)}
        where id = ${enrolmentId} and ended_at is null
        returning id`),

    withdraw: (accountId, purpose, at) =>
      Answer.count(sql`
        update enrolment set ended_at = ${Column.date(at)}
        where account_id = ${accountId} and purpose = ${purpose} and ended_at is null
        returning id`),

    forget: (expiredBefore, max) =>
      Batch.deleted(sql, {
        table: "enrolment",
        where: sql`expires_at < ${Column.date(expiredBefore)}`,
        by: "expires_at",
        max
      })
  }))
)
