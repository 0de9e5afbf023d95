/** The store of sessions on SQL. A digest belongs to one session, by a unique key of the table. */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Sessions } from "../../core/humans/human-store.ts"
import type { Session } from "../../core/humans/session.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { table, timestamp, uuid } from "./table.ts"

const session = table<Session>("console_session", {
  id: uuid,
  accountId: uuid,
  humanId: uuid,
  passkeyId: uuid,
  createdAt: timestamp,
  lastSeenAt: timestamp,
  expiresAt: timestamp
})

export const layer = Layer.effect(
  Sessions,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const sessions = Rows.rows(sql, session)
    return {
      open: (opened, digest) => sessions.insert(opened, { digest }),
      findByDigest: (digest) => sessions.first(sql`digest = ${digest}`),
      noteSeen: (id, at) => {
        const minuteBefore = Column.date(DateTime.subtract(at, { minutes: 1 }))
        return Effect.asVoid(
          sessions.updateIf(
            sql`id = ${Column.soughtUuid(id)} and last_seen_at <= ${minuteBefore}`,
            { lastSeenAt: at }
          )
        )
      },
      end: (id) => Effect.map(sessions.remove({ id }), (ended) => ended > 0),
      endOf: (passkeyId) => sessions.remove({ passkeyId }),
      forget: (expiredBefore, max) =>
        sessions.forget(sql`expires_at < ${Column.date(expiredBefore)}`, "expiresAt", max)
    }
  })
)
