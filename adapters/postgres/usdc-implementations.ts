/** The store of the contracts behind USDC on SQL. Guarded updates tell one of many that something is new. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import {
  type UsdcImplementation,
  UsdcImplementations
} from "../../core/tokens/usdc-implementation-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { gathered } from "./gathered.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import { table, text, timestamp } from "./table.ts"

const implementations = table<UsdcImplementation>(
  "usdc_implementation",
  { chainId: text, accepted: text, seen: text, seenAt: timestamp },
  ["chainId"]
)

export const layer = Layer.effect(
  UsdcImplementations,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const rows = Rows.rows(sql, implementations)
    const byChain = gathered<UsdcImplementation>(
      sql,
      ({ chainId }) => chainId,
      (chainIds) => rows.all(sql`chain_id ${OneOf.texts(sql, chainIds)}`)
    )
    return {
      find: byChain,

      see: Effect.fnUntraced(function* (chainId, seen, seenAt) {
        if (yield* rows.insertNew({ chainId, accepted: seen, seen, seenAt })) return false
        const at = Column.date(seenAt)
        const isNew = yield* Answer.any(sql`
          update usdc_implementation set seen = ${seen}, seen_at = ${at}
          where chain_id = ${chainId} and seen <> ${seen} and seen_at < ${at} returning 1`)
        if (isNew) return true
        yield* Answer.any(sql`
          update usdc_implementation set seen_at = ${at}
          where chain_id = ${chainId} and seen = ${seen} and seen_at < ${at} returning 1`)
        return false
      }),

      accept: (chainId, implementation) =>
        rows.updateIf({ chainId, seen: implementation }, { accepted: implementation })
    }
  })
)
