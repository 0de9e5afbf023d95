/**
 * The engine that replicas share: a PostgreSQL server, reached over sessions of its own or through a pooler
 * that lends one for each transaction. Every session carries time limits, so that a lost client or a runaway
 * query never holds a row for long.
 */
import { Data, type Duration, Effect, Layer, type Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Client from "./client.ts"
import { type Connection, Engine } from "./engine.ts"
import * as Upkeep from "./upkeep.ts"

export interface ServerSettings {
  /** `postgres://user:password@host:port/database`, of the server or of a pooler in front of it. */
  readonly url: Redacted.Redacted
  /**
   * The server itself, where `url` is a pooler in transaction mode. Notifications are heard here, as no
   * pooler hands them on; nothing else is.
   */
  readonly directUrl?: Redacted.Redacted | undefined
  /** At least two: one of them listens for wake-ups all the time. */
  readonly maxConnections?: number
  /** Opens what a start needs side by side before it is asked for; otherwise each waits until it is needed. */
  readonly opensAtOnce?: boolean
  readonly connectTimeout?: Duration.Input
}

/** What every session is to have. */
export const sessionParameters = {
  timezone: "UTC",
  default_transaction_isolation: "read committed",
  statement_timeout: "15s",
  lock_timeout: "10s",
  idle_in_transaction_session_timeout: "30s",
  // A session is closed under a statement that nobody waits for any more: that ends it.
  client_connection_check_interval: "1s"
}

/** Sessions behind a pooler have other limits than the service needs, and it may not set them itself. */
export class RoleWithoutLimits extends Data.TaggedError("RoleWithoutLimits")<{
  readonly role: string
  readonly missing: ReadonlyArray<string>
}> {
  override get message() {
    const statements = this.missing.map((each) => `alter role "${this.role}" set ${each};`)
    return `Behind a pooler, the limits of sessions belong to the role. Run these as an administrator, let the pooler reconnect, and start again: ${statements.join(" ")}`
  }
}

/** Refuses a role whose sessions are not as this process would make them. */
const checkRole = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wanted = Object.entries(sessionParameters)
  const names = wanted.map(([name]) => name)
  const values = wanted.map(([, value]) => value)
  const missing = yield* sql<{ readonly setting: string; readonly role: string }>`
    select format('%I to %L', wanted.name, wanted.value) as setting, current_user as role
    from unnest(${names}::text[], ${values}::text[]) as wanted (name, value)
    where lower(current_setting(wanted.name)) <> lower(wanted.value)`
  const [first] = missing
  if (first === undefined) return
  return yield* new RoleWithoutLimits({
    role: first.role,
    missing: missing.map(({ setting }) => setting)
  })
})

/** Below this many, reads have no sessions of their own. */
const fewConnections = 5

const common = (settings: ServerSettings) =>
  ({
    url: settings.url,
    applicationName: "bursar",
    connectTimeout: settings.connectTimeout ?? "5 seconds",
    keepAlive: "30 seconds"
  }) as const

const most = ({ maxConnections = 10 }: ServerSettings) => Math.max(2, maxConnections)

/** Who listens, who makes the queue's table, and who reads. What fails here fails again for whoever needs it, and is said then. */
const openAtOnce = (sessions: Client.Pool, readers: Client.Pool) =>
  Effect.forEach(
    [sessions, sessions, readers],
    (pool) => Effect.ignore(pool.use(() => Effect.void)),
    {
      concurrency: "unbounded",
      discard: true
    }
  ).pipe(Effect.forkScoped)

const direct = Effect.fnUntraced(function* (settings: ServerSettings) {
  const config = {
    ...common(settings),
    // Every statement of the records, in the variants that absent values give them.
    preparedStatementCacheSize: 1000,
    startupParameters: sessionParameters
  } as const
  const shared = most(settings) < fewConnections ? 0 : Math.ceil(most(settings) / 5)
  const sessions = yield* Client.pool({ ...config, maxConnections: most(settings) - shared })
  const readers =
    shared === 0 ? sessions : yield* Client.sharedPool({ ...config, maxConnections: shared })
  if (settings.opensAtOnce === true) yield* openAtOnce(sessions, readers)
  return { client: Client.layer(sessions, readers), listener: sessions }
})

/** A pooler lends another session for each transaction: nothing may have a name, and nothing may be set. */
const pooled = Effect.fnUntraced(function* (
  settings: ServerSettings,
  directUrl: Redacted.Redacted
) {
  const config = { ...common(settings), prepare: false } as const
  const sessions = yield* Client.pool({ ...config, maxConnections: most(settings) - 1 })
  const listener = yield* Client.pool({ ...config, url: directUrl, maxConnections: 1 })
  const client = Client.layer(sessions)
  yield* Effect.provide(checkRole, client)
  return { client, listener }
})

/** Opens connections when they are first needed, or some at once. */
export const layer = (
  settings: ServerSettings
): Layer.Layer<Connection, SqlError | RoleWithoutLimits> =>
  Layer.unwrap(
    Effect.map(
      settings.directUrl === undefined ? direct(settings) : pooled(settings, settings.directUrl),
      ({ client, listener }) =>
        Layer.merge(
          client,
          Layer.succeed(Engine, {
            kind: "server",
            listen: (channel) => Client.listen(listener, channel)
          })
        )
    )
  ).pipe((connection) => Layer.provideMerge(Upkeep.layer, connection))
