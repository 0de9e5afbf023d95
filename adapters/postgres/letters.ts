/** The store of letters on SQL. A letter is changed only while it is queued, so that it ends once. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Letter } from "../../core/mail/letter.ts"
import { Letters } from "../../core/mail/letter-store.ts"
import * as Answer from "./answer.ts"
import * as Rows from "./rows.ts"
import { integer, named, type Row, table, text, timestamp } from "./table.ts"

const letterTable = table<Letter>("letter", {
  id: text,
  accountId: text,
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
  Letters,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const letters = Rows.rows(sql, letterTable)
    return {
      write: (letter) => letters.insert(letter),
      find: (id) => letters.first({ id }),
      list: (status, request) => letters.page({}, request, { status }),
      attempt: (id) =>
        Answer.first(
          sql<Row>`update letter set attempts = attempts + 1
            where id = ${id} and status = 'queued' returning *`,
          letterTable.read
        ),
      stumble: (id, lastError) =>
        Effect.asVoid(letters.updateIf({ id, status: "queued" }, { lastError })),
      end: (id, { at, error, status }) =>
        letters.updateIf(
          { id, status: "queued" },
          { status, sealedText: null, lastError: error, endedAt: at }
        ),
      revoke: (accountId, purpose, at) =>
        Effect.asVoid(
          letters.updateAll(
            { accountId, purpose, status: "queued" },
            { status: "void", sealedText: null, endedAt: at }
          )
        )
    }
  })
)
