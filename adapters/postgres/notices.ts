/** The store of notices on SQL. A unique key lets one of many who find a thing write its notice. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Notice } from "../../core/notices/notice.ts"
import { Notices } from "../../core/notices/notice-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { type Row, table, text, timestamp, uuid } from "./table.ts"

const noticeTable = table<Notice>("notice", {
  id: uuid,
  accountId: uuid,
  type: text,
  subject: text,
  role: text,
  summary: text,
  path: text,
  createdAt: timestamp,
  toldAt: timestamp,
  digestAt: timestamp
})

export const layer = Layer.effect(
  Notices,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const notices = Rows.rows(sql, noticeTable)
    return {
      write: (notice) => notices.insertNew(notice, sql`(account_id, type, subject)`),
      tell: (id, at) =>
        Answer.first(
          sql<Row>`update notice set told_at = ${Column.date(at)}
            where id = ${Column.soughtUuid(id)} and told_at is null returning *`,
          noticeTable.read
        ),
      countTold: (accountId, type, since) =>
        Answer.only(
          sql<{ told: number }>`select count(*)::integer as told from notice
            where account_id = ${accountId} and type = ${type} and told_at >= ${Column.date(since)}`,
          ({ told }) => told
        ),
      defer: (id, digestAt) => Effect.asVoid(notices.updateIf({ id }, { digestAt })),
      takeDigest: (now, max) =>
        Effect.map(
          Answer.all(
            sql<Row>`update notice set digest_at = null where id in (
                select id from notice where digest_at <= ${Column.date(now)}
                order by created_at, id limit ${max} for update skip locked
              ) returning *`,
            noticeTable.read
          ),
          (taken) => taken.toSorted((one, other) => (one.id < other.id ? -1 : 1))
        ),
      forget: (createdBefore, max) =>
        notices.forget(
          sql`created_at < ${Column.date(createdBefore)}
            and told_at is not null and digest_at is null`,
          "createdAt",
          max
        )
    }
  })
)
