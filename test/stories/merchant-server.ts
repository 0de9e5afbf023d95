/** A merchant's server on loopback: it reads the raw body, verifies it as published, and answers as told. */
import { createServer } from "node:http"
import { Effect } from "effect"
import { verifyWebhook, type WebhookEvent } from "../../adapters/receiver/verify.ts"
import type { Receiver } from "./world.ts"

export const openReceiver = Effect.gen(function* () {
  const arrived: Array<WebhookEvent> = []
  let rejected = 0
  let secret = ""
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      try {
        const body = Buffer.concat(chunks)
        arrived.push(verifyWebhook({ body, headers: request.headers, secret }))
      } catch {
        rejected += 1
      }
      response.writeHead(status).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(
      () => new Promise<void>((resume) => server.listen(0, "127.0.0.1", () => resume()))
    ),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/webhooks`,
    arrived: Effect.sync(() => [...arrived]),
    rejected: Effect.sync(() => rejected),
    trust: (next) =>
      Effect.sync(() => {
        secret = next
      }),
    answerWith: (next) =>
      Effect.sync(() => {
        status = next
      })
  }
  return receiver
})
