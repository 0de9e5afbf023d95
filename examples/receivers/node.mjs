/**
 * A merchant's server on plain Node, without any dependency. It verifies each delivery, keeps it once,
 * answers at once, and works afterwards.
 *
 * WEBHOOK_SECRET is the `whsec_…` text that create_merchant_webhook showed once.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const secret = process.env.WEBHOOK_SECRET ?? ""
const port = Number(process.env.PORT ?? 8080)
if (secret === "") throw new Error("WEBHOOK_SECRET is not set.")

const toleranceSeconds = 300
const maxBytes = 1024 * 1024

/** Whether one of the signatures is of these very bytes, made within five minutes of now. */
const isGenuine = (headers, body) => {
  const timestamp = headers["svc-webhook-timestamp"] ?? ""
  if (!/^\d+$/u.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest()
  // After a rotation there may be two, v1=<new>,v1=<old>; either will do.
  return (headers["svc-webhook-signature"] ?? "").split(",").some((part) => {
    const hex = /^v1=([0-9a-f]{64})$/u.exec(part.trim())?.[1]
    return hex !== undefined && timingSafeEqual(Buffer.from(hex, "hex"), expected)
  })
}

/** Keep these in your database, the id as its primary key: insert, and answer 200 when it was there already. */
const seen = new Set()

const handle = (event) => {
  if (event.type !== "payment_request.paid") return
  const { amountUsd, externalReference } = event.data.object
  console.log(`${externalReference} is paid: ${amountUsd} USD.`)
}

const bodyOf = async (request) => {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

createServer(async (request, response) => {
  const body = await bodyOf(request)
  if (body === undefined || !isGenuine(request.headers, body)) {
    response.writeHead(400).end()
    return
  }
  const event = JSON.parse(body.toString("utf8"))
  const isNew = !seen.has(event.id)
  seen.add(event.id)
  response.writeHead(200).end()
  if (isNew) setImmediate(handle, event)
}).listen(port, "127.0.0.1", () => {
  console.log(`Listening on http://127.0.0.1:${port}/webhooks`)
})
