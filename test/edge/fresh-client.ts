/** The program of `fresh.ts`: each answer's time, whatever the answer, until it is told to end. */
import { request } from "node:http"
import { setTimeout } from "node:timers/promises"

export interface Call {
  readonly what: "account" | "pay"
  /** On the clock that processes share. */
  readonly atMs: number
  readonly tookMs: number
  /** Of the answer, or the failure in words. */
  readonly seen: number | string
}

interface Settings {
  readonly origin: string
  readonly key: string
  readonly pid: string
}

const { key, origin, pid } = JSON.parse(process.argv[2] ?? "") as Settings

const everyMs = 250
const patienceMs = 40_000

const asked: ReadonlyArray<readonly [Call["what"], string, Readonly<Record<string, string>>]> = [
  ["account", "/api/v1/account", { authorization: `Bearer ${key}` }],
  ["pay", `/pay/${pid}`, { accept: "text/html" }]
]

/** No two of 500 calls in a row come from one address. */
const addressOf = (at: number) => `127.0.0.${2 + (at % 250)}`

const answered = (path: string, headers: Readonly<Record<string, string>>, localAddress: string) =>
  new Promise<number | string>((resolve) => {
    const asking = request(
      origin + path,
      { agent: false, headers, localAddress, timeout: patienceMs },
      (answer) => {
        answer.resume()
        answer.on("end", () => resolve(answer.statusCode ?? 0))
        answer.on("error", (error) => resolve(String(error)))
      }
    )
    asking.on("timeout", () => asking.destroy(new Error("No answer.")))
    asking.on("error", (error) => resolve(String(error)))
    asking.end()
  })

const calls: Array<Call> = []
let isOver = false

const loop = async (kind: (typeof asked)[number]) => {
  const [what, path, headers] = kind
  for (let at = 0; !isOver; at++) {
    const atMs = Date.now()
    const startedAt = performance.now()
    const seen = await answered(path, headers, addressOf(at))
    calls.push({ what, atMs, tookMs: performance.now() - startedAt, seen })
    await setTimeout(everyMs)
  }
}

const asking = Promise.all(asked.map(loop))
process.once("message", async () => {
  isOver = true
  await asking
  process.send?.(calls, () => process.disconnect())
})
process.once("disconnect", () => process.exit())
process.send?.("ready")
