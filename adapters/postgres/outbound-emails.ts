/** The store of emails on SQL. An email is changed only while it is queued, so that it ends once. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Email } from "../../core/mail/email.ts"
import { OutboundEmails } from "../../core/mail/email-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { integer, named, type Row, table, text, timestamp, uuid } from "./table.ts"

const emailTable = table<Email>("outbound_email", {
  id: uuid,
  accountId: uuid,
  purpose: text,
  to: named("recipient", text),
  subject: text,
  sealedText: text,
  status: text,
  attempts: integer,
  lastError: text,
  createdAt: timestamp,
  expiresAt: timestamp,
  endedAt: timestamp
})

export const layer = Layer.effect(
  OutboundEmails,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const emails = Rows.rows(sql, emailTable)
    return {
      write: (email) => emails.insert(email),
      find: (id) => emails.first({ id }),
      list: (status, request) => emails.page({}, request, { status }),
      attempt: (id) =>
        Answer.first(
          sql<Row>`update outbound_email set attempts = attempts + 1
            where id = ${Column.soughtUuid(id)} and status = 'queued' returning *`,
          emailTable.read
        ),
      recordFailure: (id, lastError) =>
        Effect.asVoid(emails.updateIf({ id, status: "queued" }, { lastError })),
      end: (id, { at, error, status }) =>
        emails.updateIf(
          { id, status: "queued" },
          { status, sealedText: null, lastError: error, endedAt: at }
        ),
      supersede: ({ accountId, purpose, to }, at) =>
        Effect.asVoid(
          emails.updateAll(
            { accountId, purpose, to, status: "queued" },
            { status: "superseded", sealedText: null, endedAt: at }
          )
        )
    }
  })
)
