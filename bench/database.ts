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

export const open = async () => {
  const server = await PostgresServer.start({ durable: true })
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
