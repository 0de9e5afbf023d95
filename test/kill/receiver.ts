/** A merchant's server: it verifies every delivery with the published verifier and writes down which came. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { verifyWebhook } from "../../adapters/receiver/verify.ts"

export interface Arrival {
  readonly eventId: string
  readonly type: string
  /** The public id of the payment request it tells of. */
  readonly pid: string
}

export interface Receiver {
  readonly url: string
  /** Everything that came and verified, in order, duplicates included. */
  readonly arrivals: ReadonlyArray<Arrival>
  /** How many came and did not verify. */
  readonly rejected: () => number
  readonly trust: (secret: string) => void
  readonly close: () => void
}

/** The verifier is told the time of the service's own clock. */
export const open = async (nowMs: () => number): Promise<Receiver> => {
  const arrivals: Array<Arrival> = []
  let rejected = 0
  let secret = ""
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      try {
        const body = Buffer.concat(chunks)
        const nowSeconds = Math.floor(nowMs() / 1000)
        const event = verifyWebhook({ body, headers: request.headers, secret, nowSeconds })
        const pid = "paymentRequestPid" in event.data.object && event.data.object.paymentRequestPid
        arrivals.push({ eventId: event.id, type: event.type, pid: pid || "" })
        response.writeHead(200).end()
      } catch {
        rejected += 1
        response.writeHead(400).end()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    arrivals,
    rejected: () => rejected,
    trust: (next) => {
      secret = next
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
