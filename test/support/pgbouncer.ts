/**
 * A real PgBouncer for tests, from the machine's own package, in transaction mode before the tests' PostgreSQL.
 * Where there is none, tests that need it are skipped aloud, but never where `CI` is set.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { describe } from "vitest"
import { freePort } from "../../apps/sandbox/free-port.ts"

const program = "pgbouncer"
const missing = `${program} is not on this machine, and a pooler in transaction mode cannot be tested without it: apt-get install pgbouncer.`

const mayMiss =
  (process.env.CI ?? "") === "" && spawnSync(program, ["--version"]).error !== undefined
if (mayMiss) process.stderr.write(`\n${missing} They are skipped.\n\n`)

export const describeOnPgBouncer = (title: string, tests: () => void): void => {
  describe.skipIf(mayMiss)(title, tests)
}

export interface PgBouncer {
  /** The same database, through the pooler. */
  readonly url: string
  readonly stop: () => Promise<void>
}

const settings = (server: URL, port: number, users: string) => `
[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`

/** Few sessions for many connections, so that each transaction gets another one. */
export const pgBouncer = async (address: string): Promise<PgBouncer> => {
  const server = new URL(address)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "bursar-pgbouncer-"))
  const [file, users] = [join(folder, "settings.ini"), join(folder, "users.txt")]
  writeFileSync(users, `"${server.username}" "${server.password}"\n`)
  writeFileSync(file, settings(server, port, users))
  // It refuses to run as root, and becomes somebody who must be able to read this.
  chmodSync(folder, 0o755)
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : []
  const child = spawn(program, [...asNobody, file], { stdio: ["ignore", "ignore", "pipe"] })
  const failed = new Promise<never>((_, reject) => {
    child.once("error", () => reject(new Error(missing)))
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}.`)))
  })
  // Told by whoever waits for it now; its later end is wanted.
  failed.catch(() => {})
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes("process up")) return
    }
  })()
  await Promise.race([ready, failed])
  child.stderr.resume()
  const through = new URL(address)
  through.port = String(port)
  return {
    url: through.href,
    stop: async () => {
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      await gone
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
