/** Webhooks sent by hand: signed with Node's HMAC and posted through undici, with nothing around it. */
import { createHmac } from "node:crypto"
import { Pool } from "undici"
import * as Queue from "./queue.ts"

const headersOf = (id: string, body: string) => {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac("sha256", Queue.secret).update(`${timestamp}.${body}`).digest("hex")
  return {
    "content-type": "application/json",
    "user-agent": "Bursar-Webhooks/1",
    "svc-webhook-id": id,
    "svc-webhook-timestamp": timestamp,
    "svc-webhook-event": "payment_request.paid",
    "svc-webhook-signature": `v1=${signature}`
  }
}

/** Posts over so many connections; rejects when the answer is no 2xx. */
export const sender = (origin: string, connections: number) => {
  const pool = new Pool(origin, { connections, pipelining: 1, allowH2: false })
  return async (id: string, body = Queue.bodyOf(id)): Promise<void> => {
    const headers = headersOf(id, body)
    const answer = await pool.request({ path: "/ok", method: "POST", headers, body })
    await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`The sink answered ${answer.statusCode}.`)
  }
}
