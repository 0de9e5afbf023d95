/**
 * The tool surface at `/api/mcp`: stateless, so any replica answers any request, and a bare `tools/call`
 * works as well as a client that shakes hands first. Every method needs the same bearer key as REST.
 */
import { Effect } from "effect"
import type { Facts as Caller } from "../../core/operation/caller.ts"
import { Deployment } from "../../core/operation/deployment.ts"
import * as Operation from "../../core/operation/operation.ts"
import { Ids } from "../../core/ports/ids.ts"
import * as Bearer from "../http/bearer.ts"
import { RequestId } from "../http/edge/request-id.ts"
import { nothingHappened } from "../http/edge/unexpected.ts"
import { Visit } from "../http/edge/visit.ts"
import * as Method from "../http/method.ts"
import * as Body from "../http/reading/body.ts"
import * as Input from "../http/reading/input.ts"
import * as Refusals from "../http/refusals.ts"
import type { Reply as Answer, Request } from "../http/surface/exchange.ts"
import { serving } from "../http/surface/surface.ts"
import * as Batch from "./batch.ts"
import { callTool } from "./call.ts"
import * as Elicitation from "./elicitation.ts"
import * as Host from "./host.ts"
import * as JsonRpc from "./json-rpc.ts"
import { charged } from "./rate-limit.ts"
import { idIn, refusedWhole } from "./refused.ts"
import { bare, type Reply, respond } from "./reply.ts"
import { byName, listed } from "./tools.ts"

export interface Options {
  /** Origins of pages, beside our own, that may call tools from a browser. */
  readonly origins?: ReadonlyArray<string>
  /** Names, beside the site's own, by which the service is called; addresses and bare names always are. */
  readonly hosts?: ReadonlyArray<string>
}

/** Newest first; a client that asks for another one is offered the first. */
export const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

const initialized = (params: Readonly<Record<string, unknown>> | undefined): string => {
  const asked = params?.protocolVersion
  return JSON.stringify({
    protocolVersion: typeof asked === "string" && versions.includes(asked) ? asked : versions[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: "bursar", title: "Bursar treasury", version: "1.0.0" },
    instructions:
      "A USDC treasury. Call get_guide first. Give every write an idempotencyKey and send the same one when you retry. An error says in `outcome` whether anything was executed, and in `next` which call helps."
  })
}

const welcome = Effect.fnUntraced(function* (
  id: JsonRpc.Id,
  params: Readonly<Record<string, unknown>> | undefined
) {
  const session = Elicitation.sessionFor(params, yield* (yield* Ids).base62(22))
  const headers = session === undefined ? {} : { "mcp-session-id": session }
  return { text: JsonRpc.result(id, initialized(params)), headers } satisfies Reply
})

/** Who sends a message, and in what. */
interface Sending {
  readonly caller: Caller
  readonly surroundings: Refusals.Surroundings
  /** Whether the body is so large that one call in it may be too large. */
  readonly checksSize: boolean
}

const listing = (id: JsonRpc.Id): Reply => {
  const [before, after] = JsonRpc.resultEnds(id)
  return bare([before, listed, after])
}

const replyTo = ({ id, method, params }: JsonRpc.Request) => {
  switch (method) {
    case "tools/list":
      return Effect.succeed(listing(id))
    case "initialize":
      return welcome(id, params)
    case "ping":
      return Effect.succeed(bare(JsonRpc.result(id, "{}")))
    default:
      return Effect.succeed(
        bare(JsonRpc.fault(id, JsonRpc.codes.methodNotFound, "Unknown method."))
      )
  }
}

/** The reply to one message; none to a notification, unless it costs more than is left. */
const dispatch = Effect.fnUntraced(function* (
  message: JsonRpc.Message,
  { caller, surroundings, checksSize }: Sending
) {
  if (message._tag === "notification") return yield* charged(caller, null, surroundings, undefined)
  if (message._tag === "invalid") {
    const { id, message: why } = message
    const reply = { ...bare(JsonRpc.fault(id, JsonRpc.codes.invalidRequest, why)), status: 400 }
    return yield* charged(caller, id, surroundings, reply)
  }
  if (message.method === "tools/call") {
    return yield* callTool(caller, message.id, message.params, surroundings, checksSize)
  }
  return yield* charged(caller, message.id, surroundings, yield* replyTo(message))
})

/** The reply alone, or what a person is asked before it. */
const respondTo = (request: Request, reply: Reply, requestId: string): Answer => {
  const { askings = [], headers, text } = reply
  if (typeof text !== "string" || askings.length === 0 || !Elicitation.takes(request.headers)) {
    return respond(request, reply)
  }
  const events = Elicitation.stream(text, askings, requestId)
  return { status: 200, headers: { "content-type": "text/event-stream", ...headers }, body: events }
}

const tooLarge = () => Refusals.tooLarge(Operation.defaultMaxBodyBytes)

/** Only the arguments of a tool may be larger than usual, and the tool's own limit judges those. */
const isOversized = (message: JsonRpc.Message): boolean =>
  message._tag === "request" &&
  message.method !== "tools/call" &&
  Buffer.byteLength(JSON.stringify(message.params ?? {})) > Operation.defaultMaxBodyBytes

const fitting = (message: JsonRpc.Message): JsonRpc.Message =>
  message._tag === "request" && isOversized(message)
    ? { _tag: "invalid", id: message.id, message: tooLarge().message }
    : message

const nothing: Answer = { status: 202, headers: {}, body: "" }

const answerAll = Effect.fnUntraced(function* (request: Request, body: unknown, sending: Sending) {
  const { caller, surroundings, checksSize } = sending
  if (!Array.isArray(body)) {
    const message = JsonRpc.read(body)
    if (checksSize && isOversized(message)) {
      const refusal = refusedWhole(JsonRpc.idOf(body), tooLarge(), request, surroundings)
      const paid = yield* charged(caller, JsonRpc.idOf(body), surroundings, refusal)
      return respond(request, paid ?? refusal)
    }
    const reply = yield* dispatch(message, sending)
    return reply === undefined ? nothing : respondTo(request, reply, surroundings.requestId)
  }
  if (body.length === 0 || body.length > Batch.maxMessages) {
    const why = `A batch must have 1 to ${Batch.maxMessages} messages.`
    const reply = { ...bare(JsonRpc.fault(null, JsonRpc.codes.invalidRequest, why)), status: 400 }
    const paid = yield* charged(caller, null, surroundings, reply)
    return respond(request, paid ?? reply)
  }
  const text = yield* Batch.answered(body, caller, surroundings, (message) =>
    dispatch(checksSize ? fitting(message) : message, sending)
  )
  return text === undefined ? nothing : respond(request, bare(text))
})

const violation = (request: Request, siteUrl: string, { hosts = [], origins = [] }: Options) => {
  if (!Host.isOurs(request.headers.host, siteUrl, hosts)) {
    return {
      status: 403,
      message: `This Host is not allowed. Call the tools at ${siteUrl}, or ask the operator to add the host to BURSAR_HOSTS.`
    }
  }
  const origin = request.headers.origin
  if (origin !== undefined && origin !== new URL(siteUrl).origin && !origins.includes(origin)) {
    return { status: 403, message: "Pages of this origin are not allowed to call tools." }
  }
  const version = request.headers["mcp-protocol-version"]
  return version === undefined || versions.includes(version)
    ? undefined
    : { status: 400, message: `Unsupported protocol version; supported: ${versions.join(", ")}.` }
}

/** The largest input that any tool takes of this key, and room for the messages around it. */
const maxBytesFor = ({ scopes }: Caller): number => {
  const sizes = [...byName.values()].map((operation) => Input.maxBytesFor(operation, scopes))
  const largest = Math.max(...sizes)
  return largest > Operation.defaultMaxBodyBytes ? largest + Operation.defaultMaxBodyBytes : largest
}

const isLarge = ({ headers }: Request): boolean =>
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) > Operation.defaultMaxBodyBytes

const serve = (options: Options) =>
  Effect.fnUntraced(function* (request: Request) {
    const requestId = yield* RequestId
    const { siteUrl } = yield* Deployment
    const surroundings = { requestId, siteUrl }
    const objected = violation(request, siteUrl, options)
    if (objected !== undefined) {
      // Its body is read at its own pace, which no other waits for.
      const { end } = yield* Visit
      end()
      const { message, status } = objected
      const text = JsonRpc.fault(yield* idIn(request), JsonRpc.codes.invalidRequest, message)
      return respond(request, { ...bare(text), status })
    }
    const reading = Effect.gen(function* () {
      const caller = yield* Bearer.caller(request)
      const body = yield* Body.read(request, maxBytesFor(caller))
      return { body, sending: { caller, surroundings, checksSize: isLarge(request) } }
    })
    return yield* nothingHappened(reading).pipe(
      Effect.matchEffect({
        onFailure: (refusal) =>
          Effect.map(idIn(request), (id) =>
            respond(request, refusedWhole(id, refusal, request, surroundings))
          ),
        onSuccess: ({ body, sending }) => answerAll(request, body, sending)
      })
    )
  })

/** Serves the tools, and refuses what is no message to them. */
export const layer = (options: Options = {}) =>
  serving(Method.exactlyServed("/api/mcp", [["POST", serve(options)]]))
