/**
 * A merchant's server that listens for payments. It verifies every delivery, does what an event asks for
 * once, and answers: 200 for done, 400 for a delivery it cannot trust, 500 for "send it again later".
 *
 * WEBHOOK_SECRET is the `whsec_…` text that create_merchant_webhook showed once.
 */
import { createServer } from "node:http"
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from "bursar/webhooks"

const secret = process.env.WEBHOOK_SECRET ?? ""
const port = Number(process.env.PORT ?? 8080)

/** An event may come twice. Keep the ids where your orders are kept, written in the same transaction. */
const done = new Set<string>()

const act = (event: WebhookEvent) => {
  switch (event.type) {
    case "payment_request.paid": {
      const { amountUsd, externalReference } = event.data.object
      console.log(`${externalReference} is paid: ${amountUsd} USD.`)
      break
    }
    case "payment_request.expired":
      console.log(`${event.data.object.externalReference} was not paid in time.`)
      break
    default:
      console.log(`Nothing to do for ${event.type}.`)
  }
}

const server = createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray())
    const event = verifyWebhook({ body, headers: request.headers, secret })
    if (!done.has(event.id)) {
      act(event)
      done.add(event.id)
    }
    response.writeHead(200).end()
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end()
  }
})

server.listen(port, "127.0.0.1", () => {
  console.log(`Listening on http://127.0.0.1:${port}/webhooks`)
})
