/** When accounts asked for their claim links again, on SQL: one row an account, locked by whoever asks. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ClaimLinkResends } from "../../core/agents/claim-link-resends.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

export const layer = Layer.effect(
  ClaimLinkResends,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    lock: (accountId) =>
      Answer.only(
        // A write that changes nothing waits for whoever is here first, and then reads what they left.
        sql<{ asked_at: ReadonlyArray<Date> }>`
          insert into claim_resend as was (account_id, asked_at) values (${accountId}, '{}')
          on conflict (account_id) do update set asked_at = was.asked_at
          returning asked_at`,
        (row) => row.asked_at.map(Column.instant)
      ),

    note: (accountId, askedAt) =>
      Answer.written(sql`
        update claim_resend set asked_at = ${askedAt.map(Column.date)}::timestamptz[]
        where account_id = ${accountId} returning account_id`)
  }))
)
