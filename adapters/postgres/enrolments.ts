/** The store of one-time enrolment links on SQL. The guarded update lets one of many uses through. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Enrolment } from "../../core/humans/enrolment.ts"
import { Enrolments } from "../../core/humans/human-store.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { table, text, timestamp, uuid } from "./table.ts"

const enrolment = table<Enrolment>("enrolment", {
  id: uuid,
  accountId: uuid,
  purpose: text,
  humanId: uuid,
  name: text,
  role: text,
  email: text,
  createdAt: timestamp,
  expiresAt: timestamp,
  endedAt: timestamp
})

export const layer = Layer.effect(
  Enrolments,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const enrolments = Rows.rows(sql, enrolment)
    return {
      issue: (issued, digest) => enrolments.insert(issued, { digest }),
      findByDigest: (digest) => enrolments.first(sql`digest = ${digest}`),
      find: (id) => enrolments.first({ id }),
      use: (id, endedAt) => enrolments.updateIf({ id, endedAt: null }, { endedAt }),
      withdraw: (accountId, purpose, endedAt) =>
        enrolments.updateAll({ accountId, purpose, endedAt: null }, { endedAt }),
      withdrawOf: (accountId, humanId, endedAt, purpose) =>
        enrolments.updateAll(
          { accountId, humanId, endedAt: null, ...(purpose === undefined ? {} : { purpose }) },
          { endedAt }
        ),
      forget: (expiredBefore, max) =>
        enrolments.forget(sql`expires_at < ${Column.date(expiredBefore)}`, "expiresAt", max)
    }
  })
)
