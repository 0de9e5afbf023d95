/**
 * Port Durability by the standbys that stream from the server: what one of them has on its disk, a promotion of that one
 * brings back. A role without `pg_monitor` sees no standby, and then nothing is said to be durable.
 */
import { Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Durability } from "../../core/ports/durability.ts"
import * as Answer from "./answer.ts"
import { serverNow } from "./server-identity.ts"

/** How long a standby may take. One that follows at all takes milliseconds. */
const limitMs = 2000
const pauseMs = 20

export const layer = Layer.effect(
  Durability,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const place = Answer.only(
      sql<{ server: string }>`select ${serverNow(sql)} as server`,
      ({ server }) => server
    )
    const written = Answer.only(
      sql<{ server: string; lsn: string }>`
        select ${serverNow(sql)} as server, pg_current_wal_lsn()::text as lsn`,
      (row) => row
    )
    const standbys = (lsn: string) =>
      Answer.only(
        sql<{ server: string; has: boolean; follow: boolean }>`
          select ${serverNow(sql)} as server,
            coalesce(bool_or(flush_lsn >= ${lsn}::pg_lsn), false) as has,
            coalesce(bool_or(state = 'streaming'), false) as follow
          from pg_stat_replication`,
        (row) => row
      )
    return {
      place,
      isKept: Effect.fnUntraced(function* (from) {
        const { lsn, server } = yield* written
        // Another server was promoted meanwhile, and what its standbys have says nothing of the write.
        if (server !== from) return false
        const endsAtMs = (yield* Clock.currentTimeMillis) + limitMs
        while (true) {
          const seen = yield* standbys(lsn)
          if (seen.server !== from) return false
          if (seen.has) return true
          if (!seen.follow || (yield* Clock.currentTimeMillis) >= endsAtMs) return false
          yield* Effect.sleep(pauseMs)
        }
      })
    }
  })
)
