/**
 * A PostgreSQL of its own for a measurement, from npm's binaries, that really writes its commits to disk, and
 * knows when each was made.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Server from "../adapters/postgres/server.ts"
import * as PostgresServer from "../test/support/postgres-server.ts"

const name = "bursar"

/** Runs effects on a database of the server, with a pool that is closed behind them. */
export const runOn = <A, E>(url: string, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.runPromise(
    Effect.provide(work, Server.layer({ url: Redacted.make(url), maxConnections: 2 }))
  )

/** What Linux tells of a process, in the order of proc(5); undefined once it is gone. */
const read = (pid: string, file: string): string | undefined => {
  try {
    return readFileSync(join("/proc", pid, file), "utf8")
  } catch {
    return undefined
  }
}

const parentOf = (pid: string): string | undefined => {
  const stat = read(pid, "stat")
  // The name of a process stands in brackets and may hold spaces; its state and its parent follow.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]
}

/** How long the processes of a server that live have run on a CPU. Only Linux tells it. */
const cpuSecondsOf = (folder: string): number => {
  const [main = ""] = readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")
  const pids = readdirSync("/proc").filter((pid) => pid === main || parentOf(pid) === main)
  const nanos = pids.map((pid) => Number(read(pid, "schedstat")?.split(" ")[0] ?? 0))
  return nanos.reduce((sum, each) => sum + each, 0) / 1e9
}

/**
 * Files of the log that lie ready, as they do on a server that has run for a while. A new one makes each of them when the
 * one before is full, and all commits wait for it: a tenth of a second and more, in which a slice may have one or none.
 */
const readyFiles = 48

const fileLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let count = 0; count < readyFiles; count++) {
    yield* sql`select pg_logical_emit_message(false, 'bench', '')::text, pg_switch_wal()::text`
  }
  // What was written until here is not needed again: its files are the next ones.
  yield* sql`checkpoint`
})

export const open = async () => {
  const server = await PostgresServer.start({ durable: true, settings: ["min_wal_size=1GB"] })
  const create = (database: string, template: string) =>
    runOn(
      server.url("postgres"),
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`create database ${sql(database)} template ${sql(template)}`
      )
    )
  await runOn(
    server.url("postgres"),
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter system set track_commit_timestamp = on`)
  )
  await server.restart("SIGINT")
  await create(name, "template0")
  await runOn(server.url(name), fileLog)
  return {
    url: server.url(name),
    cpuSeconds: () => cpuSecondsOf(server.folder),
    /** A database with the same rows as the first one, which nobody may be connected to. */
    copy: async (database: string) => {
      await create(database, name)
      return server.url(database)
    },
    stop: server.stop
  }
}
