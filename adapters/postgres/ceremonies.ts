/** The store of ceremonies on SQL. Taking one is deleting it, so of many at once one gets it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Ceremony } from "../../core/humans/ceremony.ts"
import { Ceremonies } from "../../core/humans/human-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { type Row, table, text, timestamp } from "./table.ts"

const ceremony = table<Ceremony>("ceremony", {
  id: text,
  purpose: text,
  nonce: text,
  subject: text,
  humanId: text,
  holder: text,
  createdAt: timestamp,
  expiresAt: timestamp
})

export const layer = Layer.effect(
  Ceremonies,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const ceremonies = Rows.rows(sql, ceremony)
    return {
      begin: (begun) => ceremonies.insert(begun),
      take: (id, holder) =>
        Answer.first(
          sql<Row>`delete from ceremony where id = ${id} and holder = ${holder} returning *`,
          ceremony.read
        ),
      forget: (expiredBefore, max) =>
        ceremonies.forget(sql`expires_at < ${Column.date(expiredBefore)}`, "expiresAt", max)
    }
  })
)
