/**
 * Merchants who listen: below `/ok` each answers after a moment, below `/hang` never. What arrives is
 * verified apart from the service and written down with its time.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { isGenuine } from "./independent.ts"
import type { Place } from "./settings.ts"

export interface Arrival {
  readonly eventId: string
  readonly url: string
  readonly atMs: number
}

export interface Receiver {
  readonly origin: string
  readonly arrivals: ReadonlyArray<Arrival>
  /** How many events have arrived, however often each came. */
  readonly arrived: () => number
  /** The most requests that one merchant had open at once. */
  readonly maxAtOnce: () => number
  /** How many came and were not genuine. */
  readonly rejected: () => number
  readonly trust: (places: ReadonlyArray<Place>) => void
  readonly close: () => void
}

/** Up to so long a merchant takes to answer, so that a process that dies has something in its hands. */
export const open = async (slowestMs: number): Promise<Receiver> => {
  const arrivals: Array<Arrival> = []
  const arrived = new Set<string>()
  const secrets = new Map<string, string>()
  const openByUrl = new Map<string, number>()
  let maxAtOnce = 0
  let rejected = 0
  let turn = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    const count = (by: number) => {
      const open = (openByUrl.get(path) ?? 0) + by
      openByUrl.set(path, open)
      maxAtOnce = Math.max(maxAtOnce, open)
    }
    count(1)
    // Answered, or its sender is gone.
    response.once("close", () => count(-1))
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const atMs = Date.now()
      const url = `http://${request.headers.host}${request.url}`
      const body = Buffer.concat(chunks).toString("utf8")
      const letter = { headers: request.headers, body, secret: secrets.get(url) ?? "", atMs }
      if (!isGenuine(letter)) rejected += 1
      const eventId = String(request.headers["svc-webhook-id"])
      arrived.add(eventId)
      arrivals.push({ eventId, url, atMs })
      if (request.url?.startsWith("/hang")) return
      setTimeout(() => response.end("ok"), (slowestMs * (turn++ % 10)) / 9)
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    arrivals,
    arrived: () => arrived.size,
    maxAtOnce: () => maxAtOnce,
    rejected: () => rejected,
    trust: (places) => {
      for (const { secret, url } of places) secrets.set(url, secret)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
