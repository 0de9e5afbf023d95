/**
 * Switches the faults of a local service over HTTP: `PUT /faults` with those that change, as JSON. Whoever tries a
 * treasury out sees what it does when somebody it depends on fails.
 */
import type { IncomingMessage } from "node:http"

const maxBytes = 10_000

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > maxBytes) return ""
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString("utf8")
}

export interface Switched {
  readonly status: number
  readonly body: unknown
}

/** Switches what the request names, and only what there is; undefined for any other request. */
export const switched = async (
  request: IncomingMessage,
  faults: object
): Promise<Switched | undefined> => {
  if (request.method !== "PUT" || request.url !== "/faults") return undefined
  try {
    const changes = JSON.parse(await bodyOf(request)) as Record<string, unknown>
    const unknown = Object.keys(changes).filter((name) => !(name in faults))
    if (unknown.length > 0) {
      return { status: 400, body: { error: `There is no fault ${unknown.join(", ")}` } }
    }
    Object.assign(
      faults,
      Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ?? undefined]))
    )
    return { status: 200, body: { faults: Object.keys(changes) } }
  } catch {
    return { status: 400, body: { error: "Send a JSON object" } }
  }
}
