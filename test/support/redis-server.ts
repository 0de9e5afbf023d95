/**
 * A real redis-server for tests, from the machine's own package, on a free port of loopback and without
 * files. Where there is none, tests that need it are skipped aloud, but never where `CI` is set.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { describe } from "vitest"
import { freePort } from "../../apps/sandbox/free-port.ts"

export interface RedisServer {
  readonly url: string
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  /** Keeps its connections and answers nothing, until it goes on. */
  readonly freeze: () => void
  readonly goOn: () => void
}

const program = "redis-server"
const missing = `${program} is not on this machine, and budgets that replicas share cannot be tested without it: apt-get install redis-server.`

const mayMiss =
  (process.env.CI ?? "") === "" && spawnSync(program, ["--version"]).error !== undefined
if (mayMiss) process.stderr.write(`\n${missing} They are skipped.\n\n`)

export const describeOnRedis = (title: string, tests: () => void): void => {
  describe.skipIf(mayMiss)(title, tests)
}

/** Resolves once it takes connections. */
const launched = async (port: number): Promise<ChildProcess> => {
  const settings = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  const child = spawn(program, settings, { stdio: ["ignore", "pipe", "inherit"] })
  const failed = new Promise<never>((_, reject) => {
    child.once("error", () => reject(new Error(missing)))
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}.`)))
  })
  // Told by whoever waits for it now; later ends are wanted.
  failed.catch(() => {})
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes("Ready to accept connections")) return
    }
  })()
  await Promise.race([ready, failed])
  child.stdout.resume()
  return child
}

export const redisServer = async (): Promise<RedisServer> => {
  const port = await freePort()
  let child: ChildProcess | undefined
  const stop = async () => {
    const running = child
    child = undefined
    if (running === undefined) return
    const gone = once(running, "exit")
    running.kill("SIGKILL")
    await gone
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      child = await launched(port)
    },
    stop,
    freeze: () => child?.kill("SIGSTOP"),
    goOn: () => child?.kill("SIGCONT")
  }
}
