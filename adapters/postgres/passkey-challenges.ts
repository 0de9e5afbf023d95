/** The store of passkey challenges on SQL. Taking one is deleting it, so of many at once one gets it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { PasskeyChallenges } from "../../core/humans/human-store.ts"
import type { PasskeyChallenge } from "../../core/humans/passkey-challenge.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { type Row, table, text, timestamp, uuid } from "./table.ts"

const passkeyChallenge = table<PasskeyChallenge>("passkey_challenge", {
  id: text,
  purpose: text,
  nonce: text,
  subject: text,
  humanId: uuid,
  browserId: text,
  createdAt: timestamp,
  expiresAt: timestamp
})

export const layer = Layer.effect(
  PasskeyChallenges,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const passkeyChallenges = Rows.rows(sql, passkeyChallenge)
    return {
      begin: (begun) => passkeyChallenges.insert(begun),
      take: (id, browserId) =>
        Answer.first(
          sql<Row>`delete from passkey_challenge where id = ${id} and browser_id = ${browserId} returning *`,
          passkeyChallenge.read
        ),
      forget: (expiredBefore, max) =>
        passkeyChallenges.forget(sql`expires_at < ${Column.date(expiredBefore)}`, "expiresAt", max)
    }
  })
)
