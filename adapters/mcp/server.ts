/**
 * The tool surface at `/api/mcp`: stateless, so any replica answers any request, and a bare `tools/call`
 * works as well as a client that shakes hands first. Every method needs the same bearer key as REST.
 */
import { Context, Effect, Exit } from "effect"
import type { Facts as Caller } from "../../core/operation/caller.ts"
import { Deployment } from "../../core/operation/deployment.ts"
import * as Operation from "../../core/operation/operation.ts"
import { Ids } from "../../core/ports/ids.ts"
import * as Bearer from "../http/bearer.ts"
import { RequestId } from "../http/edge/request-id.ts"
import { nothingHappened } from "../http/edge/unexpected.ts"
import { Visit } from "../http/edge/visit.ts"
import type { Needs } from "../http/invocation.ts"
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

const guide = byName.get("get_guide")

/** The guide is named only to a key that may read it. */
const instructionsFor = ({ scopes }: Caller): string =>
  [
    "A USDC treasury.",
    ...(guide !== undefined && scopes.has(guide.scope) ? [`Call ${guide.name} first.`] : []),
    "The tools listed are those that this key's scopes allow. Give every write an idempotencyKey and send the same one when you retry; the call is then executed once. An error says in `outcome` whether anything was executed, and in `next` which call helps."
  ].join(" ")

const initialized = (
  params: Readonly<Record<string, unknown>> | undefined,
  caller: Caller
): string => {
  const asked = params?.protocolVersion
  return JSON.stringify({
    protocolVersion: typeof asked === "string" && versions.includes(asked) ? asked : versions[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: "bursar", title: "Bursar treasury", version: "1.0.0" },
    instructions: instructionsFor(caller)
  })
}

const welcome = Effect.fnUntraced(function* ({ id, params }: JsonRpc.Request, caller: Caller) {
  const session = Elicitation.sessionFor(params, yield* (yield* Ids).base62(22))
  const headers = session === undefined ? {} : { "mcp-session-id": session }
  return { text: JsonRpc.result(id, initialized(params, caller)), headers } satisfies Reply
})

/** Who sends a message, and in what. */
interface Sending {
  readonly caller: Caller
  readonly surroundings: Refusals.Surroundings
  /** Whether the body is so large that one call in it may be too large. */
  readonly checksSize: boolean
  /** What its calls are run in. */
  readonly context: Context.Context<Needs>
}

const listing = (id: JsonRpc.Id, { scopes }: Caller): Reply => {
  const list = listed(scopes)
  if (typeof list === "string") return bare(JsonRpc.result(id, list))
  const [before, after] = JsonRpc.resultEnds(id)
  return bare([before, list, after])
}

const replyTo = (message: JsonRpc.Request, caller: Caller) => {
  const { id, method } = message
  switch (method) {
    case "tools/list":
      return Effect.succeed(listing(id, caller))
    case "initialize":
      return welcome(message, caller)
    case "ping":
      return Effect.succeed(bare(JsonRpc.result(id, "{}")))
    default:
      return Effect.succeed(
        bare(JsonRpc.fault(id, JsonRpc.codes.methodNotFound, "Unknown method."))
      )
  }
}

/** The reply to one message; none to a notification, whatever its method, unless it costs more than is left. */
const dispatch = (
  message: JsonRpc.Message,
  { caller, surroundings, checksSize, context }: Sending
) => {
  if (message._tag === "notification") return charged(caller, null, surroundings, undefined)
  if (message._tag === "invalid") {
    const { id, message: why } = message
    const reply = { ...bare(JsonRpc.fault(id, JsonRpc.codes.invalidRequest, why)), status: 400 }
    return charged(caller, id, surroundings, reply)
  }
  if (message.method === "tools/call") {
    return callTool(context, caller, message.id, message.params, surroundings, checksSize)
  }
  return Effect.flatMap(replyTo(message, caller), (reply) =>
    charged(caller, message.id, surroundings, reply)
  )
}

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

const answerOne = (request: Request, body: unknown, sending: Sending) => {
  const { caller, surroundings, checksSize } = sending
  const message = JsonRpc.read(body)
  if (checksSize && isOversized(message)) {
    const refusal = refusedWhole(JsonRpc.idOf(body), tooLarge(), request, surroundings)
    const paid = charged(caller, JsonRpc.idOf(body), surroundings, refusal)
    return Effect.map(paid, (reply) => respond(request, reply ?? refusal))
  }
  return Effect.mapEager(dispatch(message, sending), (reply) =>
    reply === undefined ? nothing : respondTo(request, reply, surroundings.requestId)
  )
}

const answerBatch = Effect.fnUntraced(function* (
  request: Request,
  body: ReadonlyArray<unknown>,
  sending: Sending
) {
  const { caller, surroundings, checksSize } = sending
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

const answerAll = (request: Request, body: unknown, sending: Sending) =>
  Array.isArray(body) ? answerBatch(request, body, sending) : answerOne(request, body, sending)

const violation = (
  request: Request,
  siteUrl: string,
  { origins = [] }: Options,
  isOurs: (host: string | undefined) => boolean
) => {
  if (!isOurs(request.headers.host)) {
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

/** The tools that take more than usual. */
const roomy = [...byName.values()].filter(
  ({ maxBodyBytes }) => maxBodyBytes > Operation.defaultMaxBodyBytes
)

/** The largest input that any tool takes of this key, and room for the messages around it. */
const maxBytesFor = ({ scopes }: Caller): number => {
  let largest = Operation.defaultMaxBodyBytes
  for (const operation of roomy) largest = Math.max(largest, Input.maxBytesFor(operation, scopes))
  return largest > Operation.defaultMaxBodyBytes ? largest + Operation.defaultMaxBodyBytes : largest
}

const isLarge = ({ headers }: Request): boolean =>
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) > Operation.defaultMaxBodyBytes

const objecting = Effect.fnUntraced(function* (
  request: Request,
  { message, status }: NonNullable<ReturnType<typeof violation>>
) {
  // Its body is read at its own pace, which no other waits for.
  const visit = yield* Visit
  visit.end()
  const text = JsonRpc.fault(yield* idIn(request), JsonRpc.codes.invalidRequest, message)
  return respond(request, { ...bare(text), status })
})

/** What an effect gives, where it is one that has been done. */
const atHand = <A, E, R>(work: Effect.Effect<A, E, R>): A | undefined =>
  Exit.isExit(work) && Exit.isSuccess(work) ? (work.value as A) : undefined

const serve = (options: Options) => {
  const isOurs = Host.remembering(options.hosts ?? [])
  return (
    request: Request,
    _: unknown,
    context: Context.Context<RequestId | Deployment | Visit | Needs>
  ) => {
    const { siteUrl } = Context.get(context, Deployment)
    const surroundings = { requestId: Context.get(context, RequestId), siteUrl }
    const objected = violation(request, siteUrl, options, (host) => isOurs(host, siteUrl))
    if (objected !== undefined) return objecting(request, objected)
    const reading = () =>
      Effect.flatMapEager(Bearer.callerIn(context, request), (caller) =>
        Effect.mapEager(Body.read(request, maxBytesFor(caller)), (body) => ({
          body,
          sending: { caller, surroundings, checksSize: isLarge(request), context }
        }))
      )
    const read = nothingHappened(reading)
    const known = atHand(read)
    if (known !== undefined) return answerAll(request, known.body, known.sending)
    return Effect.matchEffect(read, {
      onFailure: (refusal) =>
        Effect.map(idIn(request), (id) =>
          respond(request, refusedWhole(id, refusal, request, surroundings))
        ),
      onSuccess: ({ body, sending }) => answerAll(request, body, sending)
    })
  }
}

/** Serves the tools, and refuses what is no message to them. */
export const layer = (options: Options = {}) =>
  serving(Method.exactlyServed("/api/mcp", [["POST", serve(options)]]))
