/**
 * Asks a person, through their agent's host, to open the page where a proposal is approved. Nothing is kept
 * between calls: that a client opens pages is written into the session id it is given and sends back, and
 * the asking rides beside the result, which never waits for it.
 */
import type { InvocationResult } from "../../core/operation/invocation-result.ts"
import type * as Operation from "../../core/operation/operation.ts"

type Fields = Readonly<Record<string, unknown>>

/** A page that a person is asked to open. */
export interface Asking {
  readonly id: string
  readonly message: string
  readonly url: string
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

const opensPages = "url-elicitation."

/** The first version of the protocol in which clients open pages. */
const since = "2025-11-25"

/** The session id of a client that says it opens pages; others get none. */
export const sessionFor = (params: Fields | undefined, random: string): string | undefined => {
  const capabilities = isObject(params?.capabilities) ? params.capabilities : {}
  const { elicitation } = capabilities
  const takes = isObject(elicitation) && isObject(elicitation.url)
  return takes && params?.protocolVersion === since ? `${opensPages}${random}` : undefined
}

/** Whether the sender of a request opens pages and reads more than one message in an answer. */
export const takes = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  (headers["mcp-session-id"] ?? "").startsWith(opensPages) &&
  (headers.accept ?? "").includes("text/event-stream")

/** What a person has to open after this answer: the pages a confirmation waits for. */
export const askings = (
  operation: Operation.Any,
  answer: InvocationResult
): ReadonlyArray<Asking> => {
  if (!answer.ok || operation.name !== "confirm_proposal") return []
  const { nextAction, proposalId, summary } = answer.output
  const actions = Array.isArray(nextAction) ? nextAction : []
  return actions.flatMap((action) => {
    if (!isObject(action) || typeof action.url !== "string") return []
    if (Number(action.received) >= Number(action.required)) return []
    const message = `Approve with your passkey: ${String(summary)}`
    return [{ id: `approve-${String(proposalId)}`, message, url: action.url }]
  })
}

const event = (json: string) => `event: message\ndata: ${json}\n\n`

/** The askings and the result behind them, as server-sent events. */
export const stream = (result: string, asked: ReadonlyArray<Asking>, requestId: string): string =>
  [
    ...asked.map(({ id, message, url }) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: `${id}-${requestId}`,
        method: "elicitation/create",
        params: { mode: "url", elicitationId: id, message, url }
      })
    ),
    result
  ]
    .map(event)
    .join("")
