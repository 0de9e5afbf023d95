/**
 * The engine that replicas share: a PostgreSQL server, reached over a pool. Every session carries time
 * limits, so that a lost client or a runaway query never holds a row for long.
 */
import { type Duration, Effect, Layer, type Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Client from "./client.ts"
import { type Connection, Engine } from "./engine.ts"

export interface ServerSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: Redacted.Redacted
  /** At least two: one of them listens for wake-ups all the time. */
  readonly maxConnections?: number
  readonly connectTimeout?: Duration.Input
}

export const sessionParameters = {
  timezone: "UTC",
  default_transaction_isolation: "read committed",
  statement_timeout: "15s",
  lock_timeout: "10s",
  idle_in_transaction_session_timeout: "30s",
  // A session is closed under a statement that nobody waits for any more: that ends it.
  client_connection_check_interval: "1s"
}

/** Below this many, reads have no sessions of their own. */
const fewConnections = 5

/** Opens connections when they are first needed. */
export const layer = (settings: ServerSettings): Layer.Layer<Connection, SqlError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const most = Math.max(2, settings.maxConnections ?? 10)
      const config = {
        url: settings.url,
        applicationName: "bursar",
        connectTimeout: settings.connectTimeout ?? "5 seconds",
        keepAlive: "30 seconds",
        // Every statement of the records, in the variants that absent values give them.
        preparedStatementCacheSize: 1000,
        startupParameters: sessionParameters
      } as const
      const shared = most < fewConnections ? 0 : Math.ceil(most / 5)
      const sessions = yield* Client.pool({ ...config, maxConnections: most - shared })
      const readers =
        shared === 0 ? sessions : yield* Client.sharedPool({ ...config, maxConnections: shared })
      return Layer.merge(
        Client.layer(sessions, readers),
        Layer.succeed(Engine, {
          kind: "server",
          listen: (channel) => Client.listen(sessions, channel)
        })
      )
    })
  )
