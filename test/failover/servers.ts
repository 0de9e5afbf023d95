/**
 * A PostgreSQL server and a standby that streams from it, as real processes. The stream can be cut, so that the standby
 * lacks what is committed from then on, and the standby can be promoted in the place of the first.
 */
import { Effect, ManagedRuntime, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../../adapters/postgres/server.ts"
import { until } from "../kill/scene.ts"
import * as PostgresServer from "../support/postgres-server.ts"

export interface Pair {
  /** Where writes go. */
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** Rows of one statement on either. */
  readonly onPrimary: Rows
  readonly onStandby: Rows
  /** Waits until the standby has all that is committed now. */
  readonly caughtUp: () => Promise<void>
  /** From now on nothing reaches the standby. */
  readonly cut: () => Promise<void>
  /** Ends the primary as a lost machine does. */
  readonly crash: () => Promise<void>
  /** The standby takes writes from now on, on a timeline of its own. */
  readonly promote: () => Promise<void>
  /** The promoted server with a standby of its own; whoever used it must have ended. */
  readonly renewed: () => Promise<Pair>
  readonly close: () => Promise<void>
}

export type Rows = <Row extends object>(statement: string) => Promise<ReadonlyArray<Row>>

const asking = (server: PostgresServer.PostgresServer) => {
  const settings = { url: Redacted.make(server.url("postgres")), maxConnections: 2 }
  const runtime = ManagedRuntime.make(Server.layer(settings))
  const rows: Rows = <Row extends object>(statement: string) =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(statement)))
  return { rows, close: () => runtime.dispose() }
}

/** As a service would run it, but for what only a power cut can lose. */
const settings = ["synchronous_commit=on", "wal_keep_size=64MB"]

/** A running server, which has a standby made of it. */
const paired = async (primary: PostgresServer.PostgresServer): Promise<Pair> => {
  await primary.end("SIGINT")
  const standby = await PostgresServer.start({ settings, standbyOf: primary })
  await primary.begin()
  const [first, second] = [asking(primary), asking(standby)]
  let isDown = false
  const crash = async () => {
    if (isDown) return
    isDown = true
    await first.close()
    await primary.end("SIGQUIT")
  }
  const streams = async () => {
    const [row] = await first.rows<{ count: number }>(
      "select count(*)::integer as count from pg_stat_replication where state = 'streaming'"
    )
    return row?.count
  }
  await until("the standby streams", async () => ((await streams()) === 1 ? true : undefined))
  return {
    primaryUrl: primary.url("postgres"),
    standbyUrl: standby.url("postgres"),
    onPrimary: first.rows,
    onStandby: second.rows,
    caughtUp: async () => {
      const [at] = await first.rows<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn")
      await until("the standby has everything", async () => {
        const [has] = await second.rows<{ all: boolean }>(
          `select pg_last_wal_replay_lsn() >= '${at?.lsn}'::pg_lsn as all`
        )
        return has?.all === true ? true : undefined
      })
    },
    cut: async () => {
      await second.rows("alter system set primary_conninfo = ''")
      await second.rows("select pg_reload_conf()")
      await until("the stream is cut", async () => ((await streams()) === 0 ? true : undefined))
    },
    crash,
    promote: async () => void (await second.rows("select pg_promote(true, 60)")),
    renewed: async () => {
      await crash()
      await second.close()
      await primary.stop()
      return paired(standby)
    },
    close: async () => {
      await Promise.all([isDown ? undefined : first.close(), second.close()])
      await Promise.all([primary.stop(), standby.stop()])
    }
  }
}

export const open = async (): Promise<Pair> => paired(await PostgresServer.start({ settings }))
