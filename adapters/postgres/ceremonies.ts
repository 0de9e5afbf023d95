/** The store of ceremonies on SQL. Taking one is deleting it, so of many at once one gets it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Ceremony } from "../../core/humans/ceremony.ts"
import { Ceremonies } from "../../core/humans/ceremony-store.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"

interface Row {
  readonly id: string
  readonly purpose: Ceremony["purpose"]
  readonly nonce: string
  readonly subject: string | null
  readonly human_id: string | null
  readonly holder: string
  readonly created_at: Date
  readonly expires_at: Date
}

const read = (row: Row): Ceremony => ({
  id: row.id,
  purpose: row.purpose,
  nonce: row.nonce,
  subject: row.subject,
  humanId: row.human_id,
  holder: row.holder,
  createdAt: Column.instant(row.created_at),
  expiresAt: Column.instant(row.expires_at)
})

export const layer = Layer.effect(
  Ceremonies,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    begin: (ceremony) =>
      Answer.done(sql`
        insert into ceremony (id, purpose, nonce, subject, human_id, holder, created_at, expires_at)
        values (${ceremony.id}, ${ceremony.purpose}, ${ceremony.nonce}, ${ceremony.subject},
          ${ceremony.humanId}, ${ceremony.holder}, ${Column.date(ceremony.createdAt)},
          ${Column.date(ceremony.expiresAt)})`),

    take: (ceremonyId, holder) =>
      Answer.first(
        sql<Row>`delete from ceremony where id = ${ceremonyId} and holder = ${holder} returning *`,
        read
      ),

    forget: (expiredBefore, max) =>
      Batch.deleted(sql, {
        table: "ceremony",
        where: sql`expires_at < ${Column.date(expiredBefore)}`,
        by: "expires_at",
        max
      })
  }))
)
