/**
 * `tools/call`: one operation for one caller. What the operation refuses is a result that says so, with
 * the error body of REST; only an unknown tool or misshapen parameters are faults of the protocol.
 */
import { type Context, Effect } from "effect"
import { nearest } from "../../core/encoding/nearest.ts"
import type { Facts as Caller } from "../../core/operation/caller.ts"
import type { InvocationResult } from "../../core/operation/invocation-result.ts"
import { InvalidRequest, type Refusal } from "../../core/operation/refusal.ts"
import * as Answers from "../http/answer.ts"
import { call, type Needs } from "../http/invocation.ts"
import * as Refusals from "../http/refusals.ts"
import * as Elicitation from "./elicitation.ts"
import * as JsonRpc from "./json-rpc.ts"
import { charged } from "./rate-limit.ts"
import { bare, type Reply } from "./reply.ts"
import { byName, writes } from "./tools.ts"

type Fields = Readonly<Record<string, unknown>>

const content = (json: string) => `"content":[{"type":"text","text":${JSON.stringify(json)}}]`

const refusalResult = (refusal: Refusal, surroundings: Refusals.Surroundings): string => {
  const json = Answers.text(Refusals.body(refusal, surroundings))
  return `{${content(json)},"structuredContent":${json},"isError":true}`
}

const resultOf = (answer: InvocationResult, surroundings: Refusals.Surroundings): string => {
  if (!answer.ok) return refusalResult(answer.refusal, surroundings)
  const json = JSON.stringify(answer.output)
  const replayed = answer.replayed ? `,"_meta":{"idempotentReplayed":true}` : ""
  return `{${content(json)},"structuredContent":${json},"isError":false${replayed}}`
}

const split = (args: Fields, isWrite: boolean) => {
  if (!isWrite) return { input: args, idempotencyKey: undefined }
  const { idempotencyKey, ...input } = args
  return { input, idempotencyKey }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fault = (id: JsonRpc.Id, message: string): Reply =>
  bare(JsonRpc.fault(id, JsonRpc.codes.invalidParams, message))

const maxNameLength = 64

/** Names of other servers and of programs are near to ours: `createCheckout` is `create_checkout_session`. */
const unknownTool = (name: unknown): string => {
  const plain = "Unknown tool; tools/list lists the tools."
  if (typeof name !== "string" || name.length > maxNameLength) return plain
  const snake = name.replace(/([a-z0-9])([A-Z])|-/gu, "$1_$2").toLowerCase()
  const near = nearest(snake, [...byName.keys()])
  return near === undefined
    ? plain
    : `Unknown tool; did you mean ${near}? tools/list lists the tools.`
}

export const callTool = (
  context: Context.Context<Needs>,
  caller: Caller,
  id: JsonRpc.Id,
  params: Fields | undefined,
  surroundings: Refusals.Surroundings,
  /** Whether the body is large enough for one call to be too large. */
  checksSize: boolean
) => {
  const paying = (reply: Reply) => charged(caller, id, surroundings, reply)
  const refusing = (refusal: Refusal) =>
    paying(bare(JsonRpc.result(id, refusalResult(refusal, surroundings))))
  const name = params?.name
  const operation = typeof name === "string" ? byName.get(name) : undefined
  if (operation === undefined) return paying(fault(id, unknownTool(name)))
  const args = params?.arguments ?? {}
  if (!isObject(args)) return paying(fault(id, "The arguments of a tool must be an object."))
  if (checksSize && Buffer.byteLength(JSON.stringify(args)) > operation.maxBodyBytes) {
    return refusing(Refusals.tooLarge(operation.maxBodyBytes))
  }
  const { input, idempotencyKey } = split(args, writes(operation))
  if (idempotencyKey !== undefined && typeof idempotencyKey !== "string") {
    return refusing(
      new InvalidRequest({
        param: "idempotencyKey",
        message: "The idempotency key must be a string of 1 to 255 printable ASCII characters."
      })
    )
  }
  const answered = call(context, operation, {
    caller,
    input,
    requestId: surroundings.requestId,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  })
  return Effect.mapEager(
    answered,
    (answer): Reply => ({
      text: JsonRpc.result(id, resultOf(answer, surroundings)),
      headers: Answers.rateLimitHeaders(operation, answer.allowance),
      askings: Elicitation.askings(operation, answer)
    })
  )
}
