/** The store of challenges on SQL. The guarded update lets one of many uses through. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { FundingWallet } from "../../core/chains/address.ts"
import type { Challenge } from "../../core/governance/challenge.ts"
import { Challenges } from "../../core/governance/governance-store.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { table, text, timestamp, together, uuid } from "./table.ts"

const challenge = table<Challenge>("challenge", {
  id: uuid,
  accountId: uuid,
  keyId: text,
  action: text,
  payloadHash: text,
  signer: together<FundingWallet>("signer", { chainId: text, address: text }),
  message: text,
  issuedAt: timestamp,
  expiresAt: timestamp,
  usedAt: timestamp
})

export const layer = Layer.effect(
  Challenges,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const challenges = Rows.rows(sql, challenge)
    return {
      issue: (issued) => challenges.insert(issued),
      find: (accountId, id) => challenges.first({ accountId, id }),
      use: (accountId, id, usedAt) =>
        challenges.updateIf({ accountId, id, usedAt: null }, { usedAt }),
      forget: (expiredBefore, max) =>
        challenges.forget(
          sql`used_at is null and expires_at < ${Column.date(expiredBefore)}`,
          "expiresAt",
          max
        )
    }
  })
)
