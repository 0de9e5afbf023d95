/**
 * Callers in a process of their own: one holder of a key who reads at an even pace and says how long each
 * answer took, or a crowd of strangers in loops, or of guessers with well-formed keys that nobody has.
 */
import { spawnSync } from "node:child_process"
import { Agent, request } from "node:http"
import { setPriority } from "node:os"
import { compose, secretLength } from "../../core/accounts/key.ts"
import { offer } from "../child.ts"

export interface Asked {
  readonly as: "reader" | "strangers" | "guessers"
  readonly origin: string
  readonly seconds: number
  readonly apiKey: string
  readonly pid: string
  /** Whether all come from one address, or each from one of its own. */
  readonly addresses: "one" | "many"
}

const loops = 50
const guessersAtOnce = 64
const guessesPerSecond = 10_000

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

const fetched = (
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  method = "GET"
) =>
  new Promise<number>((resolve, reject) => {
    const asking = request(origin + path, { agent, headers, method }, (answer) => {
      answer.resume()
      answer.on("end", () => resolve(answer.statusCode ?? 0))
    })
    asking.on("error", reject)
    asking.end()
  })

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms))

const told = (statuses: ReadonlyMap<number, number>) => Object.fromEntries(statuses)

const count = (statuses: Map<number, number>, status: number) =>
  statuses.set(status, (statuses.get(status) ?? 0) + 1)

const read = async ({ apiKey, origin, seconds }: Asked) => {
  const headers = { authorization: `Bearer ${apiKey}`, "x-forwarded-for": "192.0.2.1" }
  const tookMs: Array<number> = []
  const endMs = performance.now() + seconds * 1000
  while (performance.now() < endMs) {
    const startMs = performance.now()
    const status = await fetched(origin, "/api/v1/account", headers)
    if (status !== 200) throw new Error(`A key's read was answered ${status}`)
    tookMs.push(performance.now() - startMs)
    await pause(5)
  }
  return tookMs
}

const visit = async ({ addresses, origin, pid, seconds }: Asked) => {
  const paths = [
    [`/pay/${pid}`, "text/html", "GET"],
    [`/pay/${pid}`, "application/json", "GET"],
    [`/pay/${pid}/call`, "*/*", "GET"],
    ["/api/agents", "*/*", "POST"],
    ["/console/login", "text/html", "GET"],
    ["/docs", "text/html", "GET"],
    ["/openapi.json", "application/json", "GET"]
  ] as const
  const statuses = new Map<number, number>()
  const endMs = performance.now() + seconds * 1000
  const loop = async (number: number) => {
    for (let turn = number; performance.now() < endMs; turn++) {
      const [path, accept, method] = paths[turn % paths.length] ?? paths[0]
      const host = addresses === "one" ? 7 : (turn * loops + number) % 65_000
      const from = `10.1.${host >> 8}.${host & 255}`
      const headers = { accept, "content-type": "application/json", "x-forwarded-for": from }
      count(statuses, await fetched(origin, path, headers, method))
    }
  }
  await Promise.all(Array.from({ length: loops }, (_, number) => loop(number)))
  return told(statuses)
}

const guess = async ({ origin, seconds }: Asked) => {
  const statuses = new Map<number, number>()
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  let guessed = 0
  // As many are sent as are due, over the connections that are free; what those cannot carry is not sent.
  const loop = async () => {
    while (performance.now() < endMs) {
      const dueMs = startMs + (guessed / guessesPerSecond) * 1000
      if (dueMs > performance.now()) {
        await pause(1)
        continue
      }
      guessed += 1
      const key = compose("developer", guessed.toString(36).padStart(secretLength, "0"))
      const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": "192.0.2.1" }
      count(statuses, await fetched(origin, "/api/v1/account", headers))
    }
  }
  await Promise.all(Array.from({ length: guessersAtOnce }, loop))
  return told(statuses)
}

/**
 * A crowd is elsewhere: where it shares a core with the reader or the service, neither waits for its work. At the
 * lowest priority it may still finish its slice first, which is longer than a read; an idle one never does.
 */
const becomeIdle = () => {
  const { status } = spawnSync("chrt", ["-a", "-i", "-p", "0", String(process.pid)])
  if (status !== 0) setPriority(19)
}

offer("ready", (question) => {
  const asked = question as Asked
  if (asked.as === "reader") return read(asked)
  becomeIdle()
  return asked.as === "strangers" ? visit(asked) : guess(asked)
})
