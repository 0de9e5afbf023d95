/** What a client that does not read can ask for: one of each sort of answer, as bytes on the line. */
import * as SlowClients from "../support/slow-clients.ts"
import type { Scene } from "./scene.ts"

export interface Kind {
  readonly name: string
  /** All it sends; several requests at once where one answer is too small to fill a system's buffers. */
  readonly text: string
}

const defaultAhead = 8

export const kindsOf = (
  { facts, pid }: Scene,
  ahead: number = defaultAhead
): ReadonlyArray<Kind> => {
  const authorization = `Bearer ${facts.developerKey}`
  const batch = (messages: ReadonlyArray<object>) =>
    SlowClients.request(
      "/api/mcp",
      { authorization },
      JSON.stringify(messages.map((message, id) => ({ jsonrpc: "2.0", id, ...message })))
    )
  const tool = {
    method: "tools/call",
    params: { name: "list_payment_requests", arguments: { limit: 100 } }
  }
  return [
    {
      name: "a list over REST",
      text: SlowClients.request("/api/v1/payment-requests?limit=100", { authorization }).repeat(
        ahead
      )
    },
    { name: "/openapi.json", text: SlowClients.request("/openapi.json").repeat(ahead) },
    { name: "/docs/reference", text: SlowClients.request("/docs/reference").repeat(ahead) },
    {
      name: "batches of tools/list",
      text: batch(Array.from({ length: 50 }, () => ({ method: "tools/list" }))).repeat(ahead)
    },
    { name: "batches of tool calls", text: batch(Array.from({ length: 20 }, () => tool)) },
    {
      name: "/pay",
      text: SlowClients.request(`/pay/${pid}`, { accept: "text/html" }).repeat(ahead)
    },
    { name: "a live stream", text: SlowClients.request(`/pay/${pid}/events`) }
  ]
}
